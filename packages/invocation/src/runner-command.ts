import type {
  InvocationLimits,
  RunnerCommand,
  ServiceAddress,
  Specialisation,
} from './specialisation.ts';

/** Reads one message to a Runner; `undefined` when `value` is none. */
export function parseRunnerCommand(value: unknown): RunnerCommand | undefined {
  if (!isRecord(value)) return undefined;
  if (value.type === 'drain' || value.type === 'rehearse') return { type: value.type };
  if (value.type !== 'specialise' || !isSpecialisation(value.specialisation)) return undefined;
  return { type: 'specialise', specialisation: value.specialisation };
}

type Fields = Readonly<Record<string, unknown>>;

const textFields = [
  'namespace',
  'function',
  'revision',
  'instance',
  'runtime',
  'sourceDirectory',
  'handler',
] as const satisfies readonly (keyof Specialisation)[];

const limitFields = [
  'timeoutMs',
  'bodyBytesMax',
  'drainMs',
] as const satisfies readonly (keyof InvocationLimits)[];

function isSpecialisation(value: unknown): value is Specialisation {
  if (!isRecord(value)) return false;
  const { compatibility, env, limits, services } = value;
  return (
    (compatibility === undefined || compatibility === 'kyma' || compatibility === 'kubeless') &&
    textFields.every((field) => typeof value[field] === 'string') &&
    (services === undefined || isAddress(services)) &&
    isRecord(env) &&
    Object.values(env).every((item) => typeof item === 'string') &&
    isRecord(limits) &&
    limitFields.every((field) => isLimit(limits[field])) &&
    (limits.memoryBytesMax === undefined || isLimit(limits.memoryBytesMax))
  );
}

function isAddress(value: unknown): value is ServiceAddress {
  return isRecord(value) && typeof value.host === 'string' && isLimit(value.port);
}

function isLimit(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
