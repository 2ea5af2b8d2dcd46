import {
  type FunctionObject,
  functionLabel,
  functionType,
  type RevisionObject,
  revisionType,
} from '@fnlet/api';
import type { Cache } from '@fnlet/client';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import type { Manager } from '@fnlet/reconcile';
import {
  type ConfigMap,
  configMapType,
  type Secret,
  type Service,
  secretType,
  serviceType,
} from './core-kinds.ts';
import { environmentReferences, referenceKey } from './environment-references.ts';
import type { EnvironmentLookup } from './resolve-environment.ts';

/** Everything that this room reads of the cluster. */
export interface KubernetesState {
  readonly functions: Cache<FunctionObject>;
  /** Without source and dependencies, which only the start of a Revision needs. */
  readonly revisions: Cache<RevisionObject>;
  readonly secrets: Cache<Secret>;
  readonly configMaps: Cache<ConfigMap>;
  /** Those of Functions only. */
  readonly services: Cache<Service>;
}

const byReference = 'reference';
const byFunction = 'function';

/** The caches of this room, shared with whoever else asks the manager for them. */
export function openState(manager: Pick<Manager, 'cache'>): KubernetesState {
  return {
    functions: manager.cache<FunctionObject>(functionType, {
      indexes: {
        [byReference]: ({ metadata, spec }) =>
          environmentReferences(metadata.namespace ?? '', spec),
      },
    }),
    revisions: manager.cache<RevisionObject>(revisionType, {
      project: withoutSource,
      indexes: {
        [byFunction]: ({ metadata, spec }) => [`${metadata.namespace}/${spec.function}`],
      },
    }),
    secrets: manager.cache<Secret>(secretType),
    configMaps: manager.cache<ConfigMap>(configMapType),
    services: manager.cache<Service>(serviceType, { labelSelector: functionLabel }),
  };
}

function withoutSource(revision: RevisionObject): RevisionObject {
  const { dependencies: _dependencies, ...spec } = revision.spec;
  return { ...revision, spec: { ...spec, source: {} } };
}

/** The Functions whose environment names this Secret or ConfigMap. */
export function functionsReferringTo(
  state: KubernetesState,
  object: Secret | ConfigMap,
): ObjectKey[] {
  const { namespace = '', name } = object.metadata;
  return state.functions
    .byIndex(byReference, referenceKey(object.kind, namespace, name))
    .map(objectKey);
}

/** Reads environments of one namespace. */
export function environmentLookup(state: KubernetesState, namespace: string): EnvironmentLookup {
  return {
    secret: (name) => state.secrets.get({ namespace, name }),
    configMap: (name) => state.configMaps.get({ namespace, name }),
  };
}

/** The Revisions of a Function that exist, whoever of that name made them. */
export function revisionsOf(state: KubernetesState, key: ObjectKey): readonly RevisionObject[] {
  return state.revisions.byIndex(byFunction, formatObjectKey(key));
}
