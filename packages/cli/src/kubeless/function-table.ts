import type { KubelessFunctionObject } from '@fnlet/api/kubeless';
import { isJsonObject } from '@fnlet/base';
import { translateKubeless } from '@fnlet/functions/kubeless';
import { findCondition } from '@fnlet/machinery';
import { formatTable } from '../text-table.ts';

const heads = ['NAME', 'NAMESPACE', 'HANDLER', 'RUNTIME', 'DEPENDENCIES', 'STATUS'];

/** `kubeless function ls`; wide: with what `describe` has of each. */
export function formatFunctionTable(
  functions: readonly KubelessFunctionObject[],
  { wide }: { readonly wide: boolean },
): string {
  const rows = functions.map((object) => {
    const { metadata, spec } = object;
    const { name, namespace = '' } = metadata;
    const { handler = '', runtime = '' } = spec;
    const row = [name, namespace, handler, runtime, describeDeps(object), describeState(object)];
    const { memory, env } = readContainer(object);
    const variables = env.map((variable) => `${variable.name} = ${variable.value ?? ''}`);
    const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key} : ${value}`);
    return wide ? [...row, memory, variables.join(', '), labels.join(', ')] : row;
  });
  return formatTable(wide ? [...heads, 'MEMORY', 'ENV', 'LABEL'] : heads, rows);
}

/** `kubeless function describe`: a line for each property. */
export function formatFunctionDescription(object: KubelessFunctionObject): string {
  const { metadata, spec, status } = object;
  const { memory, env } = readContainer(object);
  const { message } = findCondition(status?.conditions, 'Ready') ?? {};
  const lines = Object.entries({
    Name: metadata.name,
    Namespace: metadata.namespace ?? '',
    Handler: spec.handler ?? '',
    Runtime: spec.runtime ?? '',
    Label: JSON.stringify(metadata.labels ?? {}),
    Envvar: JSON.stringify(env),
    Memory: memory,
    Dependencies: describeDeps(object),
    Status: [describeState(object), message ?? ''].filter((text) => text !== '').join(': '),
    URL: status?.url ?? '',
  });
  return lines.map(([name, value]) => `${`${name}:`.padEnd(15)}${value}`.trimEnd()).join('\n');
}

/** Packages of a nodejs function with their versions; of others the text, in one line. */
function describeDeps({ spec: { deps = '', runtime = '' } }: KubelessFunctionObject): string {
  const lines = runtime.includes('nodejs') ? readPackages(deps) : undefined;
  return (lines ?? deps.split('\n')).filter((line) => line.trim() !== '').join(', ');
}

function readPackages(text: string): readonly string[] | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    const { dependencies } = isJsonObject(manifest) ? manifest : {};
    if (!isJsonObject(dependencies)) return [];
    return Object.entries(dependencies).map(([name, version]) => `${name}: ${version}`);
  } catch {
    return undefined;
  }
}

/** How many Instances answer, of how many there are always to be. */
function describeState(object: KubelessFunctionObject): string {
  const { status } = object;
  const ready = findCondition(status?.conditions, 'Ready');
  const translation = translateKubeless(object);
  if (translation.kind === 'refused') return `MISSING: ${ready?.reason ?? 'InvalidSpec'}`;
  const running = status?.replicas ?? 0;
  const { min } = translation.function.spec.scale;
  const isReady = ready?.status === 'True' && running >= Math.min(1, min);
  return `${running}/${Math.max(min, running)} ${isReady ? 'READY' : 'NOT READY'}`;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

function readContainer(object: KubelessFunctionObject): {
  readonly memory: string;
  readonly env: readonly Variable[];
} {
  const translation = translateKubeless(object);
  if (translation.kind === 'refused') return { memory: '', env: [] };
  const { resources } = translation.function.spec;
  const own = object.spec.deployment;
  const memory = resources?.requests?.memory ?? resources?.limits?.memory ?? '0';
  return { memory: String(memory), env: readEnv(own) };
}

function readEnv(deployment: unknown): readonly Variable[] {
  const containers = valueAt(deployment, ['spec', 'template', 'spec', 'containers']);
  const [first]: unknown[] = Array.isArray(containers) ? containers : [];
  const env = valueAt(first, ['env']);
  return Array.isArray(env) ? env.filter(isVariable) : [];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
}

function isVariable(value: unknown): value is Variable {
  return isJsonObject(value) && typeof value.name === 'string';
}
