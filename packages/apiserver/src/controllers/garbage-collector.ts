import { type KubeObject, type OwnerReference, parseApiVersion } from '@fnlet/machinery';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { controllerManager, withoutFinalizer } from '../crd/crd-controller.ts';
import { isKubeObject, withMetadata } from '../object/object-form.ts';
import { objectsPrefix, parseStoreKey } from '../object/object-keys.ts';
import type { Resource } from '../resource/resource.ts';
import { deleteObject } from '../write/delete.ts';
import { type GraphNode, OwnerGraph } from '../write/owner-graph.ts';
import { type CollectionStep, planCollection } from '../write/plan-collection.ts';
import { updateObject } from '../write/update.ts';
import { ControllerLoop, type Observed } from './controller-loop.ts';

/**
 * Deletes what has lost its owners, and carries out foreground deletion and orphaning.
 *
 * I1. The graph follows every change of the store, so an owner that is not in it does not exist.
 * I2. Each step names the uid that it is meant for: an object of the same name is another object.
 */
export class GarbageCollector {
  readonly #context: ApiContext;
  readonly #graph = new OwnerGraph();
  readonly loop: ControllerLoop;

  constructor(context: ApiContext) {
    this.#context = context;
    this.loop = new ControllerLoop(context, {
      name: 'garbage collector',
      prefix: objectsPrefix,
      observe: (change) => this.#observe(change),
      reset: () => this.#graph.clear(),
      reconcile: (uid) => this.#reconcile(uid),
    });
  }

  #observe({ key, value, previous }: Observed): readonly string[] {
    if (value === undefined) return isKubeObject(previous) ? this.#forget(previous) : [];
    if (!isKubeObject(value)) return [];
    const node = this.#graph.put(key, value);
    const work = node.owners.length > 0 || node.isDeleting ? [node.uid] : [];
    // Dependents of an owner that goes look at it; owners of an object that changed look at it.
    const dependents = node.isDeleting ? this.#graph.dependents(node.uid) : [];
    const owners = ownersOf(isKubeObject(previous) ? previous : undefined);
    return [...work, ...dependents.map(({ uid }) => uid), ...owners];
  }

  #forget(object: KubeObject): readonly string[] {
    const { uid = '' } = object.metadata;
    this.#graph.remove(uid);
    const dependents = this.#graph.dependents(uid).map((dependent) => dependent.uid);
    return [...dependents, ...ownersOf(object)];
  }

  async #reconcile(uid: string): Promise<undefined> {
    for (const step of planCollection(this.#graph, uid, (owner) => this.#isServed(owner))) {
      try {
        await this.#take(step);
      } catch (error) {
        // The object is gone, or another one by now: its own changes make new work.
        const isOver = hasReason(error, 'NotFound') || hasReason(error, 'Conflict');
        if (!isOver) throw error;
      }
    }
    return undefined;
  }

  #isServed({ apiVersion, kind }: OwnerReference): boolean {
    return this.#context.catalog.servesKind(parseApiVersion(apiVersion).group, kind);
  }

  async #take(step: CollectionStep): Promise<void> {
    const { storeKey, namespace, name, uid } = step.node;
    const { group, plural } = parseStoreKey(storeKey);
    const resource = this.#context.catalog.findStored(group, plural);
    if (resource === undefined) return;
    const key = { namespace, name };
    if (step.kind === 'delete') {
      const { propagation } = step;
      await deleteObject(this.#context, resource, { key, propagation, uid });
      return;
    }
    await this.#change(resource, step.node, (object) => changed(step, object));
  }

  async #change(
    resource: Resource,
    { namespace, name, uid }: GraphNode,
    change: (object: KubeObject) => KubeObject,
  ): Promise<void> {
    await updateObject(this.#context, resource, {
      key: { namespace, name },
      dryRun: false,
      propose: (current) => {
        const isMeant = current.metadata.uid === uid;
        const object = isMeant ? change(current) : current;
        return { object, manager: controllerManager };
      },
    });
  }
}

function ownersOf(object: KubeObject | undefined): readonly string[] {
  return (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
}

function changed(
  step: Exclude<CollectionStep, { kind: 'delete' }>,
  object: KubeObject,
): KubeObject {
  if (step.kind === 'release') return withoutFinalizer(object, step.finalizer);
  const owners = object.metadata.ownerReferences ?? [];
  const kept =
    step.kind === 'unblock'
      ? owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }))
      : owners.filter(({ uid }) => !step.ownerUids.includes(uid));
  return withMetadata(object, { ownerReferences: kept.length === 0 ? undefined : kept });
}
