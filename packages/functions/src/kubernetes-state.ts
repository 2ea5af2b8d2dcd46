import {
  type FunctionObject,
  functionLabel,
  functionType,
  knownRuntime,
  type RevisionObject,
  type RuntimeObject,
  revisionType,
  runtimeType,
} from '@fnlet/api';
import type { Cache } from '@fnlet/client';
import { formatObjectKey, type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import type { Manager } from '@fnlet/reconcile';
import { registrySecret } from './configuration-reader.ts';
import { configMapType, secretType, serviceType } from './core-kinds.ts';
import { functionReferences, referenceKey } from './environment-references.ts';
import { isChangedService, type KnownService, projectService } from './known-service.ts';
import { isOwnedBy } from './plan-revision.ts';
import { planService } from './plan-service.ts';
import {
  projectChange,
  projectFunction,
  projectRevision,
  projectRuntime,
} from './project-object.ts';
import type { Rollouts } from './rollouts.ts';

/** Everything that this room follows in the cluster; `project-object.ts` tells what it keeps. */
export interface KubernetesState {
  readonly functions: Cache<FunctionObject>;
  readonly revisions: Cache<RevisionObject>;
  readonly runtimes: Cache<RuntimeObject>;
  /** Tells that Secrets change; their data are read when they are needed. */
  readonly secrets: Cache<KubeObject>;
  /** Tells that ConfigMaps change. */
  readonly configMaps: Cache<KubeObject>;
  /** Those of Functions only. */
  readonly services: Cache<KnownService>;
}

const byReference = 'reference';
const byFunction = 'function';
const byRuntime = 'runtime';

/** The caches of this room, shared with whoever else asks the manager for them. */
export function openState(manager: Pick<Manager, 'cache'>): KubernetesState {
  return {
    functions: manager.cache<FunctionObject>(functionType, {
      project: projectFunction,
      indexes: {
        [byRuntime]: ({ spec }) => [spec.runtime],
        [byReference]: ({ metadata, spec }) => functionReferences(metadata.namespace ?? '', spec),
      },
    }),
    revisions: manager.cache<RevisionObject>(revisionType, {
      project: projectRevision,
      indexes: {
        [byFunction]: ({ metadata, spec }) => [`${metadata.namespace}/${spec.function}`],
      },
    }),
    runtimes: manager.cache<RuntimeObject>(runtimeType, { project: projectRuntime }),
    // Their data are not even sent.
    secrets: manager.cache(secretType, { metadataOnly: true, project: projectChange }),
    configMaps: manager.cache(configMapType, { metadataOnly: true, project: projectChange }),
    services: manager.cache<KnownService>(serviceType, {
      ...{ labelSelector: functionLabel, project: projectService },
    }),
  };
}

/** The Functions whose environment or source names this Secret or ConfigMap. */
export function functionsReferringTo(state: KubernetesState, object: KubeObject): ObjectKey[] {
  const { namespace = '', name } = object.metadata;
  return state.functions
    .byIndex(byReference, referenceKey(object.kind, namespace, name))
    .map(objectKey);
}

/** Likewise, and those that failed and may get their packages now that it says how. */
export function functionsAwaiting(
  state: KubernetesState,
  secret: KubeObject,
  rollouts: Pick<Rollouts, 'stateOf'>,
): ObjectKey[] {
  const { name, namespace } = secret.metadata;
  const referring = functionsReferringTo(state, secret);
  if (name !== registrySecret) return referring;
  const all = state.functions.list().map(objectKey);
  const failed = all.filter((key) => rollouts.stateOf(key)?.phase === 'failed');
  return [...referring, ...failed.filter((key) => key.namespace === namespace)];
}

/** The Revisions of a Function that exist, whoever of that name made them. */
export function revisionsOf(state: KubernetesState, key: ObjectKey): readonly RevisionObject[] {
  return state.revisions.byIndex(byFunction, formatObjectKey(key));
}

/** The Revision of this name that belongs to this very Function and is there to stay. */
export function findRevision(
  { revisions }: Pick<KubernetesState, 'revisions'>,
  owner: FunctionObject,
  name: string,
): RevisionObject | undefined {
  const found = revisions.get({ ...objectKey(owner), name });
  return found !== undefined && isUsable(found, owner) ? found : undefined;
}

/** Whether a Revision belongs to this very Function and is there to stay. */
export function isUsable(revision: RevisionObject, owner: FunctionObject): boolean {
  return isOwnedBy(revision, owner) && revision.metadata.deletionTimestamp === undefined;
}

/** Whether somebody has changed the Service of a Function. */
export function isServiceChanged(
  { functions }: Pick<KubernetesState, 'functions'>,
  service: KnownService,
): boolean {
  const owner = functions.get(objectKey(service));
  if (owner === undefined || !isOwnedBy(service, owner)) return false;
  return isChangedService(service, planService(owner));
}

/** The Functions that act as one of these ServiceAccounts. */
export function functionsActingAs(
  { functions }: Pick<KubernetesState, 'functions'>,
  accounts: readonly ObjectKey[],
): readonly ObjectKey[] {
  const names = new Set(accounts.map(formatObjectKey));
  return functions.list().flatMap(({ metadata, spec }) => {
    const { namespace = '', name } = metadata;
    const { serviceAccountName: account } = spec;
    const acts = account !== undefined && names.has(formatObjectKey({ namespace, name: account }));
    return acts ? [{ namespace, name }] : [];
  });
}

/** The Functions that ask for this runtime, by whichever of its names. */
export function functionsOn(state: KubernetesState, runtime: RuntimeObject): ObjectKey[] {
  const { name, aliases } = knownRuntime(runtime);
  return [name, ...aliases].flatMap((asked) =>
    state.functions.byIndex(byRuntime, asked).map(objectKey),
  );
}
