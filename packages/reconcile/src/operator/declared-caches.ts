import type { Cache } from '@fnlet/client';
import { type KubeObject, parseApiVersion, type ResourceType } from '@fnlet/machinery';
import { type Kind, type Operator, type View, viewOf, type Watch } from '@fnlet/sdk/operator';
import { type DesiredChildren, placeChildren } from '../apply/desired-child.ts';
import { ownerUidsOf } from '../apply/ownership.ts';
import { pausedAnnotation } from '../pause.ts';
import type { CacheRequest } from '../shared-cache/shared-caches.ts';
import { kindName, resourceTypeOf } from './kind-type.ts';

/** A kind of children, and what is known of them. */
export interface OwnedCache {
  readonly kind: Kind;
  readonly cache: Cache<KubeObject>;
  /** Whether whole objects are kept, so that whatever somebody changes is seen. */
  readonly isWhole: boolean;
  /** Whether all objects of the kind are known, wherever they are. */
  readonly isOfAll: boolean;
}

/** Another kind that concerns the operator's own. */
export interface WatchedCache {
  readonly watch: Watch;
  readonly cache: Cache<KubeObject>;
}

/** What an operator looks at: one cache for each kind that it declares. */
export interface DeclaredCaches<P extends KubeObject = KubeObject> {
  readonly primaries: Cache<P>;
  readonly owned: readonly OwnedCache[];
  readonly watched: readonly WatchedCache[];
}

const ownerIndex = 'owner';
const pausedPath = `metadata.annotations['${pausedAnnotation}']`;

/** Who has the caches, such as a Manager. */
export interface CacheOwner {
  cache<T extends KubeObject>(type: ResourceType, options?: CacheRequest<T>): Cache<T>;
}

/** What somebody declares to look at. */
export interface Declarations
  extends Pick<Operator, 'name' | 'keep' | 'namespaces' | 'select' | 'owns' | 'watches'> {
  readonly for: Kind | View;
}

/** Asks for the caches that an operator, or an imperative controller, has declared. */
export function declareCaches<P extends KubeObject = KubeObject>(
  operator: Declarations,
  manager: CacheOwner,
): DeclaredCaches<P> {
  const { name, keep, namespaces, select } = operator;
  const within = namespaces === undefined ? {} : { namespaces };
  const openView = <T extends KubeObject>(view: View, more: CacheRequest<T> = {}): Cache<T> => {
    // What is of the whole cluster is in no namespace.
    const place = view.kind.scope === 'Cluster' ? {} : within;
    const keep = view.fields === undefined ? {} : { keep: view.fields };
    const labels = view.labels === undefined ? {} : { labelSelector: view.labels };
    return manager.cache(resourceTypeOf(view.kind), { ...place, ...keep, ...labels, ...more });
  };
  const selected = select === undefined ? {} : { labelSelector: select };
  const kept = keep === undefined ? {} : { keep: [...keep, pausedPath] };
  // What the operator wrote before it was started is told by the objects themselves.
  const appliedBy = name;
  return {
    primaries: openView(viewOf(operator.for), { ...kept, ...selected, appliedBy }),
    owned: (operator.owns ?? []).map((declared) => {
      const view = viewOf(declared);
      // Annotations mark whose a child is, and are ours to keep; no generation tells of them.
      const whole = view.fields === undefined ? view : view.keep('metadata.annotations');
      const cache = openView(whole, { appliedBy, indexes: { [ownerIndex]: ownerUidsOf } });
      const isWhole = view.fields === undefined;
      const isOfAll = namespaces === undefined && view.labels === undefined;
      return { kind: view.kind, cache, isWhole, isOfAll };
    }),
    watched: (operator.watches ?? []).map((watch) => ({ watch, cache: openView(watch.view) })),
  };
}

/** The children of a primary that are there, in all kinds that the operator owns. */
export function childrenOf({ owned }: DeclaredCaches, primary: KubeObject): KubeObject[] {
  const { uid } = primary.metadata;
  if (uid === undefined) return [];
  return owned.flatMap(({ cache }) => cache.byIndex(ownerIndex, uid));
}

/** What is there under the names of wanted children, whoever's it is. */
export function namesakesOf(
  { owned }: DeclaredCaches,
  primary: KubeObject,
  desired: DesiredChildren,
): KubeObject[] {
  const home = primary.metadata.namespace ?? '';
  return placeChildren(desired).flatMap(({ object: { apiVersion, kind, metadata } }) => {
    const name = kindName({ group: parseApiVersion(apiVersion).group, kind });
    const found = owned.find((one) => kindName(one.kind) === name);
    const isNamespaced = found?.kind.scope === 'Namespaced';
    const namespace = isNamespaced ? (metadata.namespace ?? home) : '';
    return found?.cache.get({ namespace, name: metadata.name }) ?? [];
  });
}
