import { jsonEqual } from '@fnlet/base';
import type { Condition, CustomResourceDefinition, KubeObject } from '@fnlet/machinery';
import type { ApiContext } from '../api-context.ts';
import {
  crdFinalizer,
  customResourceDefinitionStrategy,
  isDefinition,
  withConditions,
} from '../builtins/custom-resource-definition.ts';
import { ControllerLoop, type Observed } from '../controllers/controller-loop.ts';
import { isKubeObject, objectField, withFields, withMetadata } from '../object/object-form.ts';
import { collectionPrefix } from '../object/object-keys.ts';
import { readObject, storedObjects } from '../object/objects.ts';
import { createResource, type Resource } from '../resource/resource.ts';
import { deleteObject } from '../write/delete.ts';
import { type AcceptedNames, planNames, type TakenNames } from '../write/plan-names.ts';
import { updateObject } from '../write/update.ts';
import { conversionOf } from './conversion-webhook.ts';
import { customStrategies, isServedAlike } from './custom-resource.ts';

/** Who owns the fields that the server's controllers write. */
export const controllerManager = 'fnlet-apiserver';

const finalizerPollMs = 50;
const closedText = 'create not allowed while custom resource definition is terminating';

/** A definition as its kind is served at present. */
interface Served {
  readonly definition: CustomResourceDefinition;
  /** Whether nothing new is let in, because it is going away. */
  readonly isClosed: boolean;
  /** Not in the catalog any more, and still watched. */
  readonly watched: readonly Resource[];
}

/**
 * Serves the kinds that CustomResourceDefinitions define.
 *
 * I1. A kind is in the catalog before its definition says Established, and leaves it only when its
 *     last object is gone.
 * I2. What was compiled for a version is kept until the definition's spec changes; then watches of
 *     it end, so that nobody goes on reading by a schema that is no more.
 */
export class CrdController {
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #served = new Map<string, Served>();
  /** By the name of the definition: what all of them say, so that none is read for another. */
  readonly #taken = new Map<string, TakenNames>();
  readonly loop: ControllerLoop;

  constructor(context: ApiContext, resource: Resource) {
    this.#context = context;
    this.#resource = resource;
    const prefix = collectionPrefix(customResourceDefinitionStrategy);
    this.loop = new ControllerLoop(context, {
      name: 'CRD controller',
      prefix,
      observe: (change) => this.#observe(change.key.slice(prefix.length), change),
      reset: () => this.#taken.clear(),
      reconcile: (name) => this.#reconcile(name),
    });
  }

  /** Puts the kinds that were established before into the catalog, at once. */
  restore(): void {
    for (const object of storedObjects(this.#context, this.#resource)) {
      if (isDefinition(object) && isEstablished(object)) this.#serve(object);
    }
  }

  #observe(name: string, { value }: Observed): readonly string[] {
    if (value === undefined) {
      this.#taken.delete(name);
      // When a definition goes, its names become free for others.
      return [name, ...this.#taken.keys()];
    }
    // Whoever is known has its names from this controller, which is ahead of what it observes.
    if (!this.#taken.has(name) && isKubeObject(value) && isDefinition(value)) {
      const names = value.status?.acceptedNames ?? {};
      this.#taken.set(name, { name, group: value.spec.group, names });
    }
    return [name];
  }

  async #reconcile(name: string): Promise<{ againAfterMs: number } | undefined> {
    const read = readObject(this.#context, this.#resource, { namespace: '', name });
    if (read === undefined) {
      this.#withdraw(name);
      return undefined;
    }
    if (!isDefinition(read.object)) return undefined;
    if (read.object.metadata.deletionTimestamp !== undefined) return this.#finalize(read.object);
    return this.#establish(read.object);
  }

  async #establish(definition: CustomResourceDefinition): Promise<undefined> {
    const taken = this.#taken.values();
    const { accepted, conflict } = planNames(definition, taken, this.#context.catalog);
    const { name } = definition.metadata;
    this.#taken.set(name, { name, group: definition.spec.group, names: accepted });
    const isNew = !isEstablished(definition);
    const conditions = namesConditions(conflict, isNew);
    if (conflict === undefined || !isNew) this.#serve(definition);
    // After a restart all of them say so already; a write would still have to check them whole.
    const said = { now: this.#context.clock.now(), conditions, acceptedNames: accepted };
    if (!jsonEqual(withStatus(definition, said).status, definition.status)) {
      await this.#writeStatus(name, conditions, accepted);
    }
    return undefined;
  }

  async #writeStatus(
    name: string,
    conditions: readonly Omit<Condition, 'lastTransitionTime'>[],
    acceptedNames?: AcceptedNames,
  ): Promise<void> {
    const now = this.#context.clock.now();
    await updateObject(this.#context, this.#resource, {
      key: { namespace: '', name },
      subresource: 'status',
      dryRun: false,
      propose: (current) => ({
        object: withStatus(current, { now, conditions, acceptedNames }),
        manager: controllerManager,
      }),
    });
  }

  #serve(definition: CustomResourceDefinition, closed?: string): void {
    const { catalog } = this.#context;
    const { name } = definition.metadata;
    const before = this.#served.get(name);
    const isClosed = closed !== undefined;
    if (before !== undefined && before.isClosed === isClosed) {
      if (isClosed || isServedAlike(before.definition, definition)) return;
    }
    const { group, names } = definition.spec;
    const replaced = before === undefined ? [] : catalog.remove(group, names.plural);
    const convert = conversionOf(this.#context, definition);
    for (const strategy of customStrategies(definition, convert)) {
      catalog.addDefined(createResource(closed === undefined ? strategy : { ...strategy, closed }));
    }
    // Who watches a kind that is going away still sees its objects go.
    this.#served.set(name, { definition, isClosed, watched: isClosed ? replaced : [] });
    if (!isClosed) this.#endWatches(replaced);
  }

  #endWatches(resources: readonly Resource[]): void {
    for (const resource of resources) {
      this.#context.feeds.retire(resource);
      this.#context.feeds.retire(resource.kept);
    }
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    const { group, names } = served.definition.spec;
    const removed = this.#context.catalog.remove(group, names.plural);
    this.#endWatches([...served.watched, ...removed]);
  }

  /** Empties the kind, then lets its definition go. */
  async #finalize(
    definition: CustomResourceDefinition,
  ): Promise<{ againAfterMs: number } | undefined> {
    const { name, finalizers = [] } = definition.metadata;
    if (!finalizers.includes(crdFinalizer)) return undefined;
    if (this.#served.has(name)) this.#serve(definition, closedText);
    const { group, names } = definition.spec;
    const resource = this.#context.catalog.findStored(group, names.plural);
    const left = resource === undefined ? 0 : await this.#deleteAll(resource);
    if (left > 0) {
      await this.#writeStatus(name, [deletionInProgress]);
      return { againAfterMs: finalizerPollMs };
    }
    this.#withdraw(name);
    await updateObject(this.#context, this.#resource, {
      key: { namespace: '', name },
      dryRun: false,
      propose: (current) => ({
        object: withoutFinalizer(current, crdFinalizer),
        manager: controllerManager,
      }),
    });
    return undefined;
  }

  async #deleteAll(resource: Resource): Promise<number> {
    let left = 0;
    for (const { metadata } of [...storedObjects(this.#context, resource)]) {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name };
      const { isGone } = await deleteObject(this.#context, resource, { key });
      if (!isGone) left++;
    }
    return left;
  }
}

/** `object` without one of its finalizers. */
export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return withMetadata(object, { finalizers: finalizers.length === 0 ? undefined : finalizers });
}

function withStatus(
  definition: KubeObject,
  {
    now,
    conditions,
    acceptedNames,
  }: {
    readonly now: number;
    readonly conditions: readonly Omit<Condition, 'lastTransitionTime'>[];
    readonly acceptedNames: AcceptedNames | undefined;
  },
): KubeObject {
  const changed = withConditions(definition, now, conditions);
  const status = objectField(changed, 'status');
  const named = acceptedNames === undefined ? status : { ...status, acceptedNames };
  return withFields(changed, { status: named });
}

function isEstablished(definition: CustomResourceDefinition): boolean {
  const conditions = definition.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

function namesConditions(
  conflict: { readonly reason: string; readonly message: string } | undefined,
  isNew: boolean,
): readonly Omit<Condition, 'lastTransitionTime'>[] {
  if (conflict === undefined) {
    return [
      {
        type: 'NamesAccepted',
        status: 'True',
        reason: 'NoConflicts',
        message: 'no conflicts found',
      },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ];
  }
  const refused: Omit<Condition, 'lastTransitionTime'> = {
    type: 'NamesAccepted',
    status: 'False',
    ...conflict,
  };
  if (!isNew) return [refused];
  const text = 'not all names are accepted';
  return [refused, { type: 'Established', status: 'False', reason: 'NotAccepted', message: text }];
}

const deletionInProgress: Omit<Condition, 'lastTransitionTime'> = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
