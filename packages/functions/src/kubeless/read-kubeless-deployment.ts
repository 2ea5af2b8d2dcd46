/**
 * What counts of the Deployment in a Kubeless function. It may be anything: Kubeless never looked
 * at it before it sent it on. What has another shape than expected counts as not given.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { expandVariables } from '@fnlet/machinery';

/** The parts of a function that its Deployment says, in the fields of Fnlet's Function. */
export interface KubelessDeployment {
  /** Fields of a Function's spec, as they were written: still to be checked. */
  readonly fields: JsonObject;
  readonly replicas: number | undefined;
  /** The image that was asked for instead of the runtime's. */
  readonly image: string | undefined;
  /** Memory that an Instance may take, as FUNC_MEMORY_LIMIT has it. */
  readonly memoryLimit: string;
  /** What of it has no counterpart. */
  readonly notices: readonly string[];
}

export function readKubelessDeployment(deployment: unknown): KubelessDeployment {
  const spec = objectIn(deployment, 'spec');
  const template = objectIn(spec, 'template');
  const pod = objectIn(template, 'spec');
  const [container = {}, ...sidecars] = listIn(pod, 'containers');
  const mounts = readMounts(pod, container);
  const limits = boundsIn(objectIn(container, 'resources').limits);
  const requests = boundsIn(objectIn(container, 'resources').requests);
  const { serviceAccountName } = pod;
  const { labels, annotations } = objectIn(template, 'metadata');
  const fields = {
    ...nonEmpty('env', readEnv(container)),
    ...nonEmpty('envFrom', listIn(container, 'envFrom')),
    ...nonEmpty('mounts', mounts.mounts),
    ...(limits === undefined && requests === undefined
      ? {}
      : { resources: { ...(limits && { limits }), ...(requests && { requests }) } }),
    ...(typeof serviceAccountName === 'string' ? { serviceAccountName } : {}),
    ...(isJsonObject(labels) ? { labels: textsIn(labels) } : {}),
    ...(isJsonObject(annotations) ? { annotations: textsIn(annotations) } : {}),
  };
  const { replicas } = spec;
  const { image } = container;
  return {
    fields,
    replicas: typeof replicas === 'number' && Number.isInteger(replicas) ? replicas : undefined,
    image: typeof image === 'string' && image !== '' ? image : undefined,
    memoryLimit: String(limits?.memory ?? '0'),
    notices: [
      ...mounts.notices,
      ...(sidecars.length === 0 ? [] : ['deployment: only its first container counts']),
      ...ignoredFields(pod),
    ],
  };
}

const known = new Set(['containers', 'volumes', 'serviceAccountName', 'serviceAccount']);

function ignoredFields(pod: JsonObject): string[] {
  return Object.keys(pod)
    .filter((name) => !known.has(name))
    .map(
      (name) =>
        `deployment.spec.template.spec.${name}: has no effect where Instances are processes`,
    );
}

/** Values as a kubelet makes them: `$(NAME)` is the variable NAME before it. */
function readEnv(container: JsonObject): readonly JsonObject[] {
  const values = new Map<string, string>();
  return listIn(container, 'env').map((variable) => {
    const { name, value } = variable;
    if (typeof value !== 'string') return variable;
    const expanded = expandVariables(value, (other) => values.get(other));
    if (typeof name === 'string') values.set(name, expanded);
    return { ...variable, value: expanded };
  });
}

function readMounts(
  pod: JsonObject,
  container: JsonObject,
): { readonly mounts: readonly JsonObject[]; readonly notices: readonly string[] } {
  const volumes = new Map(listIn(pod, 'volumes').map((volume) => [volume.name, volume]));
  const mounts: JsonObject[] = [];
  const notices: string[] = [];
  for (const { name, mountPath, subPath } of listIn(container, 'volumeMounts')) {
    const volume = volumes.get(name) ?? {};
    const secret = objectIn(volume, 'secret').secretName;
    const configMap = objectIn(volume, 'configMap').name;
    const object = typeof secret === 'string' ? { secret } : { configMap };
    const isKnown = typeof secret === 'string' || typeof configMap === 'string';
    if (!isKnown || subPath !== undefined || typeof mountPath !== 'string') {
      const part =
        isKnown && subPath !== undefined ? ` with subPath ${JSON.stringify(subPath)}` : '';
      notices.push(`deployment: volume ${JSON.stringify(name)}${part} has no counterpart`);
      continue;
    }
    const source = typeof secret === 'string' ? volume.secret : volume.configMap;
    const { items, defaultMode, optional } = isJsonObject(source) ? source : {};
    const options = { items, defaultMode, optional };
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    mounts.push({ ...object, path: plainPath(mountPath), ...Object.fromEntries(given) });
  }
  return { mounts, notices };
}

function plainPath(path: string): string {
  return `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}

/** Kubeless's command writes "0" for the one of CPU and memory that was not given. */
function boundsIn(list: unknown): { cpu?: string | number; memory?: string | number } | undefined {
  const { cpu, memory } = isJsonObject(list) ? list : {};
  const bounds = {
    ...(isBound(cpu) ? { cpu } : {}),
    ...(isBound(memory) ? { memory } : {}),
  };
  return Object.keys(bounds).length === 0 ? undefined : bounds;
}

function isBound(value: unknown): value is string | number {
  return (typeof value === 'string' || typeof value === 'number') && String(value) !== '0';
}

function nonEmpty(name: string, items: readonly JsonObject[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}

function objectIn(value: unknown, name: string): JsonObject {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) ? found : {};
}

function listIn(object: JsonObject, name: string): readonly JsonObject[] {
  const found = object[name];
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

function textsIn(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([key, value]) => typeof value === 'string' && !key.startsWith('fnlet.dev/'),
    ),
  );
}
