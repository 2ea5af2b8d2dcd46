import { jsonEqual } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { withConditions } from '../builtins/custom-resource-definition.ts';
import { namespaceStrategy, systemNamespaces } from '../builtins/namespace.ts';
import { ControllerLoop } from '../controllers/controller-loop.ts';
import { controllerManager } from '../crd/crd-controller.ts';
import { objectField, withFields } from '../object/object-form.ts';
import { collectionPrefix, objectsPrefix } from '../object/object-keys.ts';
import { readObject, storedObjects } from '../object/objects.ts';
import type { Resource } from '../resource/resource.ts';
import { createObject } from '../write/create.ts';
import { deleteObject } from '../write/delete.ts';
import { type Proposal, updateObject } from '../write/update.ts';

const emptyingPollMs = 50;

/** What every namespace has, by resource. */
const furniture = { serviceaccounts: 'default', configmaps: 'kube-root-ca.crt' } as const;

/**
 * Furnishes new namespaces and empties those that go.
 *
 * I1. A namespace is removed only when a look at its content, begun after everybody could see that
 *     it is terminating, found nothing: the write of its conditions lies between, and every create
 *     that was admitted before is committed before it.
 */
export class NamespaceController {
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #caPem: string;
  readonly loop: ControllerLoop;

  constructor(context: ApiContext, resource: Resource, caPem: string) {
    this.#context = context;
    this.#resource = resource;
    this.#caPem = caPem;
    const prefix = collectionPrefix(namespaceStrategy);
    this.loop = new ControllerLoop(context, {
      name: 'namespace controller',
      prefix,
      observe: ({ key, value }) => (value === undefined ? [] : [key.slice(prefix.length)]),
      reconcile: (name) => this.#reconcile(name),
    });
  }

  /** Creates the namespaces that are always there. */
  async bootstrap(): Promise<void> {
    for (const name of systemNamespaces) {
      if (readObject(this.#context, this.#resource, { namespace: '', name }) !== undefined)
        continue;
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await this.#create(this.#resource, '', object);
    }
  }

  async #reconcile(name: string): Promise<{ againAfterMs: number } | undefined> {
    const namespace = readObject(this.#context, this.#resource, { namespace: '', name })?.object;
    if (namespace === undefined) return undefined;
    if (namespace.metadata.deletionTimestamp !== undefined) return this.#empty(namespace);
    await this.#furnish(name);
    return undefined;
  }

  /** Makes what belongs into every namespace again when somebody deletes or changes it. */
  keepFurnished(signal: AbortSignal): void {
    const { store } = this.#context;
    for (const [plural, name] of Object.entries(furniture)) {
      const prefix = `${objectsPrefix}core/${plural}/`;
      const leave = store.subscribe(prefix, {
        changed: ({ key }) => {
          const [namespace = '', changed] = key.slice(prefix.length).split('/');
          if (changed === name) this.loop.enqueue(namespace);
        },
        ended: () => {},
      });
      signal.addEventListener('abort', leave, { once: true });
    }
  }

  // Tools wait for both before they create Pods.
  async #furnish(namespace: string): Promise<void> {
    await this.#ensure('serviceaccounts', namespace, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: furniture.serviceaccounts },
    });
    await this.#ensure('configmaps', namespace, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: furniture.configmaps },
      data: { 'ca.crt': this.#caPem },
    });
  }

  async #ensure(plural: string, namespace: string, object: KubeObject): Promise<void> {
    const resource = this.#context.catalog.find('', 'v1', plural);
    if (resource === undefined) return;
    const key = { namespace, name: object.metadata.name };
    const found = readObject(this.#context, resource, key)?.object;
    const { data } = object;
    if (found === undefined) await this.#create(resource, namespace, object);
    else if (data !== undefined && !jsonEqual(found.data, data)) {
      await this.#restore(resource, key, data);
    }
  }

  async #restore(resource: Resource, key: ObjectKey, data: unknown): Promise<void> {
    const propose = (current: KubeObject): Proposal => ({
      object: withFields(current, { data }),
      manager: controllerManager,
    });
    try {
      await updateObject(this.#context, resource, { key, dryRun: false, propose });
    } catch (error) {
      // Gone meanwhile: it is made again.
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  async #create(resource: Resource, namespace: string, object: KubeObject): Promise<void> {
    const request = { object, namespace, manager: controllerManager, dryRun: false };
    try {
      await createObject(this.#context, resource, request);
    } catch (error) {
      const isDone = hasReason(error, 'AlreadyExists') || hasReason(error, 'Forbidden');
      if (!isDone) throw error;
    }
  }

  async #empty(namespace: KubeObject): Promise<{ againAfterMs: number } | undefined> {
    const { name } = namespace.metadata;
    const { finalizers = [] } = objectField(namespace, 'spec');
    if (!Array.isArray(finalizers) || !finalizers.includes('kubernetes')) return undefined;
    const left = await this.#deleteContent(name);
    await this.#writeCondition(name, left);
    if (left > 0 || (await this.#deleteContent(name)) > 0) return { againAfterMs: emptyingPollMs };
    await updateObject(this.#context, this.#resource, {
      key: { namespace: '', name },
      subresource: 'finalize',
      dryRun: false,
      propose: (current) => {
        const spec = { finalizers: finalizers.filter((finalizer) => finalizer !== 'kubernetes') };
        return { object: withFields(current, { spec }), manager: controllerManager };
      },
    });
    return undefined;
  }

  /**
   * Asks everything in the namespace to go; returns how much of it stays for now. Pods go first,
   * and what they may need to end well stays until they are gone (KEP-5080).
   */
  async #deleteContent(namespace: string): Promise<number> {
    const { catalog } = this.#context;
    const pods = catalog.findStored('', 'pods');
    const podsLeft = pods === undefined ? 0 : await this.#deleteAll(pods, namespace);
    if (podsLeft > 0) return podsLeft;
    let left = 0;
    for (const resource of catalog.storedKinds()) {
      if (resource.strategy.type.namespaced) left += await this.#deleteAll(resource, namespace);
    }
    return left;
  }

  /** Asks everything of one kind in the namespace to go; returns how much of it stays for now. */
  async #deleteAll(resource: Resource, namespace: string): Promise<number> {
    let left = 0;
    for (const { metadata } of [...storedObjects(this.#context, resource, namespace)]) {
      const isGone = await this.#delete(resource, namespace, metadata.name);
      if (!isGone) left++;
    }
    return left;
  }

  async #delete(resource: Resource, namespace: string, name: string): Promise<boolean> {
    try {
      const { isGone } = await deleteObject(this.#context, resource, {
        key: { namespace, name },
        propagation: 'Background',
      });
      return isGone;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return true;
      throw error;
    }
  }

  async #writeCondition(name: string, left: number): Promise<void> {
    const { clock } = this.#context;
    const condition = {
      type: 'NamespaceContentRemaining',
      status: left > 0 ? ('True' as const) : ('False' as const),
      reason: left > 0 ? 'SomeResourcesRemain' : 'ContentRemoved',
      message:
        left > 0
          ? `Some resources are remaining: ${left} wait for their finalizers or grace period`
          : 'All content successfully removed',
    };
    await updateObject(this.#context, this.#resource, {
      key: { namespace: '', name },
      subresource: 'status',
      dryRun: false,
      propose: (current) => ({
        object: withConditions(current, clock.now(), [condition]),
        manager: controllerManager,
      }),
    });
  }
}
