/**
 * Objects of other systems brought to life: each is done by an object of Fnlet with the same name,
 * which belongs to it, and shows in its status what becomes of that one.
 *
 * I1. An object of that name that is somebody else's is left alone, and the status says so.
 * I2. What cannot be translated leaves what is there as it is.
 * I3. Same wish, same world: no write.
 * I4. The finalizer of the other system's own controller, which is not there, keeps no object from
 *     going.
 */
import { type Clock, errorMessage } from '@fnlet/base';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
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
import { type Kind, type ObjectShape, resourceVersionChanged } from '@fnlet/sdk/operator';
import { kindOf } from './kind-of.ts';
import { limits } from './limits.ts';
import { isOwnedBy } from './plan-revision.ts';

/** A kind of another system, and what becomes of its objects. */
export interface ForeignKind<Owner extends KubeObject, Child extends ObjectShape, Translation> {
  /** Name of its controller. */
  readonly name: string;
  readonly type: ResourceType;
  /** The kind of Fnlet that does it. */
  readonly childType: ResourceType;
  /** Which finalizer the controller of the other system puts on such objects, if it does. */
  readonly finalizer?: string;
  /** @throws ApiError for what did not pass its schema */
  parse(found: unknown): Owner;
  /** Never throws. */
  translate(found: KubeObject): Translation;
  /** The object of Fnlet that is wanted; `undefined` where there can be none. */
  wanted(translation: Translation): ObjectShape | undefined;
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
  /** The object of Fnlet that does it, if there is one. */
  readonly child: Child | undefined;
  /** Why there can be none, if so. */
  readonly obstacle: string | undefined;
}

/** Lets a manager do what objects of a kind ask for. */
export function addForeignKind<Owner extends KubeObject, Child extends ObjectShape, Translation>(
  manager: Manager,
  kind: ForeignKind<Owner, Child, Translation>,
  clock: Clock,
): void {
  const controller = new ForeignController(manager, kind, clock);
  const children = kindOf<Child>(kind.childType).keep('status');
  manager.controller({
    name: kind.name,
    // Sources weigh up to a megabyte: whoever needs one asks for it.
    for: kindOf(kind.type).keep('status.observedGeneration'),
    owns: [children],
    // Somebody else's of the same name may go.
    watches: [children.mapTo(namesakeOf)],
    // Labels and annotations count as well, and what others write into the status is put right.
    when: resourceVersionChanged,
    concurrency: limits.workers,
    async reconcile(key, context) {
      await controller.reconcile(key, context);
      return undefined;
    },
  });
}

class ForeignController<Owner extends KubeObject, Child extends ObjectShape, Translation> {
  readonly #kind: ForeignKind<Owner, Child, Translation>;
  readonly #own: Kind;
  readonly #children: Kind<Child>;
  readonly #status: StatusWriter<Owner>;
  readonly #finalizer: Finalizer<Owner> | undefined;

  constructor(manager: Manager, kind: ForeignKind<Owner, Child, Translation>, clock: Clock) {
    const client = manager.client.of<Owner>(kind.type);
    this.#kind = kind;
    this.#own = kindOf(kind.type);
    this.#children = kindOf<Child>(kind.childType);
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
    const translation = this.#kind.translate(found);
    const children = cache(this.#children);
    const namesake = children.get(key);
    if (namesake !== undefined && !isOwnedBy(namesake, owner)) {
      const obstacle = this.#nameTaken(key);
      await this.#tell({ owner, translation, child: undefined, obstacle }, context);
      return;
    }
    const wanted = this.#kind.wanted(translation);
    try {
      if (wanted !== undefined) await client.apply(wanted, { owner });
    } catch (error) {
      const obstacle = errorMessage(error);
      await this.#tell({ owner, translation, child: children.get(key), obstacle }, context);
      throw error;
    }
    const standing = { owner, translation, child: children.get(key), obstacle: undefined };
    await this.#tell(standing, context);
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
function namesakeOf(object: ObjectShape): ObjectKey | undefined {
  const { ownerReferences = [] } = object.metadata;
  const isControlled = ownerReferences.some(({ controller }) => controller === true);
  const { name, namespace = '' } = object.metadata;
  return isControlled ? undefined : { name, namespace };
}
