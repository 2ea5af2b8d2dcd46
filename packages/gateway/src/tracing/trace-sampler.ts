/** Which traces are recorded. */
export interface TraceSampler {
  /** Whether the decision of a caller holds, where one has been made. */
  readonly followsCaller: boolean;
  /** Part of the other traces, from 0 to 1. */
  readonly ratio: number;
}

/**
 * Reads from variables which traces are recorded, as OpenTelemetry names them (Environment Variable
 * Specification, General SDK Configuration): by default all, unless the caller has decided.
 *
 * @returns `undefined` when they say what nobody knows
 */
export function parseTraceSampler(
  env: Readonly<Record<string, string | undefined>>,
): TraceSampler | undefined {
  const { OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: argument = '' } = env;
  const [, parent, rule = 'always_on'] =
    /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  if (name === '') return { followsCaller: true, ratio: 1 };
  if (!name.endsWith(rule)) return undefined;
  const ratio = rule === 'traceidratio' ? readRatio(argument) : rule === 'always_on' ? 1 : 0;
  return ratio === undefined ? undefined : { followsCaller: parent !== undefined, ratio };
}

function readRatio(text: string): number | undefined {
  const ratio = text === '' ? 1 : Number(text);
  return ratio >= 0 && ratio <= 1 ? ratio : undefined;
}

/**
 * Whether a trace is recorded. By its last eight digits, which are chance: whoever has the same
 * ratio decides alike.
 *
 * @param given what the caller has decided
 */
export function isSampled(
  { followsCaller, ratio }: TraceSampler,
  traceId: string,
  given: boolean | undefined,
): boolean {
  if (followsCaller && given !== undefined) return given;
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
}
