/**
 * Objects of other systems brought to life: each is done by objects of Fnlet, mostly by one with
 * the same name, which belong to it, and shows in its status what becomes of those.
 *
 * I1. An object of such a name that is somebody else's is left alone, and the status says so.
 * I2. What cannot be translated leaves what is there as it is; what it no longer asks for goes.
 * I3. Same wish, same world: no write.
 * I4. The finalizer of the other system's own controller, which is not there, keeps no object from
 *     going.
 */
import { type Clock, errorMessage, hasCode } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import { type KubeObject, type ObjectKey, objectKey, type ResourceType } from '@fnlet/machinery';
import {
  createFinalizer,
  createStatusWriter,
  type Finalizer,
  type Happening,
  type KindContext,
  type Manager,
  ReconcileError,
  type StatusUpdate,
  type StatusWriter,
} from '@fnlet/reconcile';
import { type Kind, resourceVersionChanged } from '@fnlet/sdk/operator';
import { kindOf } from './kind-of.ts';
import { limits } from './limits.ts';
import { isOwnedBy } from './plan-revision.ts';

/** A kind of another system, and what becomes of its objects. */
export interface ForeignKind<Owner extends KubeObject, Child extends KubeObject, Translation> {
  /** Name of its controller. */
  readonly name: string;
  readonly type: ResourceType;
  /** The kind of Fnlet that does it. */
  readonly childType: ResourceType;
  /** Which finalizer the controller of the other system puts on such objects, if it does. */
  readonly finalizer?: string;
  /** @throws ApiError for what did not pass its schema */
  parse(found: unknown): Owner;
  /** Another kind: whose objects there are in the namespace counts for a translation, too. */
  readonly regards?: ResourceType;
  /**
   * Never throws.
   *
   * @param regarded the metadata of all objects of that other kind
   */
  translate(found: KubeObject, regarded: readonly KubeObject[]): Translation;
  /** The objects of Fnlet that are wanted; `undefined` where there can be none. */
  wanted(translation: Translation): readonly KubeObject[] | undefined;
  /** Whose object of Fnlet has this name, if anybody's. Default: that of the same name. */
  ownerName?(childName: string): string | undefined;
  planStatus(standing: Standing<Owner, Child, Translation>): StatusUpdate;
  /** The Events of a status that has changed. */
  planHappenings(before: Owner, after: Owner): readonly Happening[];
  /** What has to be so before. Default: nothing. */
  attend?(owner: Owner, context: KindContext): Promise<void>;
}

/** Where an object of another system stands. */
export interface Standing<Owner, Child, Translation> {
  readonly owner: Owner;
  readonly translation: Translation;
  /** The objects of Fnlet that do it, by their names. */
  readonly children: readonly Child[];
  /** Why there cannot be all of them, if so. */
  readonly obstacle: string | undefined;
}

const byNamespace = 'namespace';
const byOwner = 'owner';

/** Lets a manager do what objects of a kind ask for. */
export function addForeignKind<Owner extends KubeObject, Child extends KubeObject, Translation>(
  manager: Manager,
  kind: ForeignKind<Owner, Child, Translation>,
  clock: Clock,
): void {
  const controller = new ForeignController(manager, kind, clock);
  const children = kindOf<Child>(kind.childType).keep('status');
  const regarded = kind.regards && kindOf(kind.regards).keep('metadata.name');
  manager.controller({
    name: kind.name,
    // Sources weigh up to a megabyte: whoever needs one asks for it.
    for: kindOf(kind.type).keep('status.observedGeneration'),
    owns: [children],
    watches: [
      // Somebody else's of such a name may go.
      children.mapTo((object) => namesakeOf(object, kind)),
      ...(regarded === undefined
        ? []
        : [regarded.mapTo(({ metadata }) => controller.ownersIn(metadata.namespace ?? ''))]),
    ],
    // Labels and annotations count as well, and what others write into the status is put right.
    when: resourceVersionChanged,
    concurrency: limits.workers,
    async reconcile(key, context) {
      await controller.reconcile(key, context);
      return undefined;
    },
  });
}

class ForeignController<Owner extends KubeObject, Child extends KubeObject, Translation> {
  readonly #kind: ForeignKind<Owner, Child, Translation>;
  readonly #own: Kind;
  readonly #owners: Cache<Owner>;
  readonly #children: Cache<Child>;
  readonly #regarded: Cache<KubeObject> | undefined;
  readonly #status: StatusWriter<Owner>;
  readonly #finalizer: Finalizer<Owner> | undefined;

  constructor(manager: Manager, kind: ForeignKind<Owner, Child, Translation>, clock: Clock) {
    const client = manager.client.of<Owner>(kind.type);
    this.#kind = kind;
    this.#own = kindOf(kind.type);
    this.#owners = manager.cache<Owner>(kind.type, {
      keep: ['status.observedGeneration'],
      indexes: { [byNamespace]: namespaceOf },
    });
    this.#children = manager.cache<Child>(kind.childType, {
      keep: ['status'],
      indexes: { [byOwner]: ownersOf },
    });
    this.#regarded =
      kind.regards &&
      manager.cache<KubeObject>(kind.regards, {
        keep: ['metadata.name'],
        indexes: { [byNamespace]: namespaceOf },
      });
    this.#status = createStatusWriter({ client, clock });
    const { finalizer: name } = kind;
    this.#finalizer = name === undefined ? undefined : createFinalizer({ client, name });
  }

  /** Makes the object of Fnlet what the object of this key asks for. */
  async reconcile(key: ObjectKey, context: KindContext): Promise<void> {
    const { client, cache, signal } = context;
    if (cache(this.#own).get(key) === undefined) return;
    const found = await client.of<Owner>(this.#kind.type).tryGet(key, { signal });
    if (found === undefined) return;
    if (found.metadata.deletionTimestamp !== undefined) {
      await this.#letGo(found, signal);
      return;
    }
    const owner = this.#parse(found);
    await this.#kind.attend?.(owner, context);
    const regarded = this.#regarded?.byIndex(byNamespace, key.namespace) ?? [];
    const translation = this.#kind.translate(found, regarded);
    const wanted = this.#kind.wanted(translation);
    try {
      const obstacle = wanted && (await this.#makeTrue(owner, wanted, context));
      await this.#tell(
        { owner, translation, children: this.#childrenOf(owner), obstacle },
        context,
      );
    } catch (error) {
      const obstacle = errorMessage(error);
      await this.#tell(
        { owner, translation, children: this.#childrenOf(owner), obstacle },
        context,
      );
      throw error;
    }
  }

  /** All objects of the kind in a namespace. */
  ownersIn(namespace: string): readonly ObjectKey[] {
    return this.#owners.byIndex(byNamespace, namespace).map(objectKey);
  }

  /** What is in the way of one of them, if anything; the others are made all the same. */
  async #makeTrue(
    owner: Owner,
    wanted: readonly KubeObject[],
    { client, signal }: KindContext,
  ): Promise<string | undefined> {
    let obstacle: string | undefined;
    for (const object of wanted) {
      const namesake = this.#children.get(objectKey(object));
      if (namesake === undefined || isOwnedBy(namesake, owner)) {
        await client.apply(object, { owner });
      } else obstacle ??= this.#nameTaken(objectKey(object));
    }
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    const children = client.of<Child>(this.#kind.childType);
    for (const child of this.#childrenOf(owner)) {
      if (names.has(child.metadata.name)) continue;
      const preconditions = { uid: child.metadata.uid };
      await children.delete(objectKey(child), { signal, preconditions }).catch(unlessGone);
    }
    return obstacle;
  }

  #childrenOf(owner: Owner): readonly Child[] {
    const found = this.#children.byIndex(byOwner, owner.metadata.uid ?? '');
    return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  // What it owns goes by its owner references.
  async #letGo(found: Owner, signal: AbortSignal): Promise<void> {
    const { finalizer } = this.#kind;
    if (finalizer === undefined || !found.metadata.finalizers?.includes(finalizer)) return;
    await this.#finalizer?.remove(found, signal);
  }

  #parse(found: unknown): Owner {
    try {
      return this.#kind.parse(found);
    } catch (cause) {
      // It did not pass its schema: only another write can help.
      throw new ReconcileError('Terminal', errorMessage(cause), { cause });
    }
  }

  #nameTaken({ name }: ObjectKey): string {
    const what = `${this.#kind.childType.kind} "${name}" of ${this.#kind.childType.group}`;
    return (
      `${what} exists and belongs to somebody else: it is left as it is. ` +
      'Delete it, or give this one another name'
    );
  }

  /** Says it in the status, and what is new in it as Events. */
  async #tell(
    standing: Standing<Owner, Child, Translation>,
    { signal, events }: KindContext,
  ): Promise<void> {
    const { owner } = standing;
    const written = await this.#status.write(owner, this.#kind.planStatus(standing), signal);
    if (written === undefined) return;
    for (const happening of this.#kind.planHappenings(owner, written)) {
      events.record(owner, happening);
    }
  }
}

/** Those that an object of another system has are its own news. */
function namesakeOf(
  object: KubeObject,
  { ownerName }: { readonly ownerName?: (childName: string) => string | undefined },
): ObjectKey | undefined {
  const { namespace = '' } = object.metadata;
  const name = ownerName === undefined ? object.metadata.name : ownerName(object.metadata.name);
  return name === undefined || ownersOf(object).length > 0 ? undefined : { name, namespace };
}

function ownersOf({ metadata: { ownerReferences = [] } }: KubeObject): readonly string[] {
  return ownerReferences.flatMap(({ controller, uid }) => (controller === true ? [uid] : []));
}

function namespaceOf({ metadata: { namespace = '' } }: KubeObject): readonly string[] {
  return [namespace];
}

function unlessGone(error: unknown): void {
  if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
}
