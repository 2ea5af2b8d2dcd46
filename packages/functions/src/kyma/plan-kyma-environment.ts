import type { EnvVar } from '@fnlet/api';
import type { KymaEnvVar, KymaFunctionObject } from '@fnlet/api/kyma';
import { kymaTraceCollector } from '@fnlet/invocation';
import { expandVariables } from '@fnlet/machinery';

/** The variables of a function, and what could not be made of them. */
export interface KymaEnvironment {
  readonly env: readonly EnvVar[];
  readonly notices: readonly string[];
}

/**
 * The variables that a Pod of Kyma has, in its order: those of the platform, which users may set
 * otherwise, then those of the user, then those of the image. Of two with one name the later one
 * holds, and `$(NAME)` in a value is the variable NAME before it (core/v1 EnvVar).
 *
 * FUNC_HANDLER_SOURCE and FUNC_HANDLER_DEPENDENCIES, by which Kyma brings the code, are left out:
 * here it comes as files.
 */
export function planKymaEnvironment({ metadata, spec }: KymaFunctionObject): KymaEnvironment {
  const isPython = spec.runtime.startsWith('python');
  const variables: readonly KymaEnvVar[] = [
    { name: 'FUNC_NAME', value: metadata.name },
    { name: 'FUNC_RUNTIME', value: spec.runtime },
    { name: 'SERVICE_NAMESPACE', ...namespaceOf(metadata.namespace) },
    { name: 'TRACE_COLLECTOR_ENDPOINT', value: kymaTraceCollector },
    { name: 'PUBLISHER_PROXY_ADDRESS', value: publisherProxy },
    ...(isPython ? pythonVariables : []),
    ...(spec.env ?? []),
    isPython
      ? { name: 'FUNCTION_PATH', value: '/kubeless' }
      : { name: 'HANDLER_PATH', value: './function/handler.js' },
  ];
  const known = new Map<string, EnvVar>();
  const notices: string[] = [];
  for (const variable of variables) {
    const env = toEnvVar(variable, known);
    // The later one also stands later.
    known.delete(variable.name);
    known.set(variable.name, env);
    const { name, value = '' } = env;
    const unread = [...value.matchAll(/\$\(([^)]+)\)/g)].map(([, other = '']) => other);
    for (const other of unread.filter((one) => known.get(one)?.valueFrom !== undefined)) {
      notices.push(`env ${name}: $(${other}) stays as it is, since its value is not known here`);
    }
  }
  return { env: [...known.values()], notices };
}

/** A manifest that names none says where it is only once it is applied. */
function namespaceOf(namespace: string | undefined): Omit<KymaEnvVar, 'name'> {
  if (namespace !== undefined) return { value: namespace };
  return { valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } };
}

/** Where Kyma's eventing module answers. */
const publisherProxy = 'http://eventing-publisher-proxy.kyma-system.svc.cluster.local/publish';

const pythonVariables: readonly KymaEnvVar[] = [
  { name: 'PYTHONUNBUFFERED', value: 'TRUE' },
  { name: 'MOD_NAME', value: 'handler' },
  { name: 'FUNC_HANDLER', value: 'main' },
];

type Known = ReadonlyMap<string, EnvVar>;

function toEnvVar({ name, value = '', valueFrom }: KymaEnvVar, known: Known): EnvVar {
  if (valueFrom === undefined) {
    return { name, value: expandVariables(value, (other) => known.get(other)?.value) };
  }
  const { fieldRef, ...others } = valueFrom;
  // The version of a path has only ever been v1.
  const field = fieldRef === undefined ? {} : { fieldRef: { fieldPath: fieldRef.fieldPath } };
  return { name, ...(value === '' ? {} : { value }), valueFrom: { ...others, ...field } };
}
