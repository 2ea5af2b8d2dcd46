/**
 * What the caches keep of objects. Sources weigh up to a megabyte, and annotations can hold them
 * once more (`kubectl apply`); nobody decides anything by them. Who needs them asks the API.
 */
import type {
  FunctionObject,
  FunctionSource,
  FunctionStatus,
  RevisionObject,
  RuntimeObject,
} from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';

/** Without what it runs: enough to route its calls and to find it by its environment. */
export function projectFunction({ spec, status, ...object }: FunctionObject): FunctionObject {
  const { dependencies: _dependencies, labels: _labels, annotations: _annotations, ...kept } = spec;
  return {
    ...projectObject(object),
    spec: { ...kept, source: projectSource(spec.source) },
    ...(status?.revision === undefined ? {} : { status: projectStatus(status) }),
  };
}

/** Where calls go; most Functions have nothing more to say than which Revision serves. */
function projectStatus({
  revision,
  latestRevision,
  traffic,
  canary,
}: FunctionStatus): FunctionStatus {
  const [only] = traffic ?? [];
  const isPlain = traffic?.length === 1 && only?.latest === true && only.tag === undefined;
  return {
    ...(revision === undefined ? {} : { revision }),
    ...(latestRevision === undefined || latestRevision === revision ? {} : { latestRevision }),
    ...(traffic === undefined || isPlain ? {} : { traffic }),
    ...(canary === undefined ? {} : { canary }),
  };
}

/** Only what it names: Secrets, ConfigMaps, uploads. */
function projectSource({ configMap, archive, artifact, git }: FunctionSource): FunctionSource {
  const { url, secretRef } = archive ?? {};
  return {
    ...(artifact === undefined ? {} : { artifact }),
    ...(configMap === undefined ? {} : { configMap: { name: configMap.name } }),
    ...(secretRef === undefined ? {} : { archive: { url: url ?? '', secretRef } }),
    ...(git === undefined ? {} : { git }),
  };
}

/** Without what it runs and where: enough to tell whose it is and what became of it. */
export function projectRevision({ spec, status, ...object }: RevisionObject): RevisionObject {
  const { dependencies: _dependencies, labels: _labels, annotations: _annotations, ...own } = spec;
  const { env: _env, envFrom: _envFrom, ...kept } = own;
  return {
    ...projectObject(object),
    spec: { ...kept, source: projectSource(spec.source) },
    ...(status === undefined ? {} : { status }),
  };
}

/** Its spec and status, and nothing that holds them once more. */
export function projectRuntime({ spec, status, ...object }: RuntimeObject): RuntimeObject {
  const { command, files, env, aliases, fileName, extensions } = spec;
  const kept = { command, files, env, aliases, fileName, extensions };
  return {
    ...projectObject(object),
    spec: withoutUndefined(kept),
    ...(status === undefined ? {} : { status }),
  };
}

function withoutUndefined<T extends object>(
  object: T,
): { [K in keyof T]?: Exclude<T[K], undefined> };
function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Only that it is there, in which version, and whose it is. */
export function projectObject({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { labels: _labels, annotations: _annotations, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept };
}

/** Only that it has changed. */
export function projectChange({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion } };
}
