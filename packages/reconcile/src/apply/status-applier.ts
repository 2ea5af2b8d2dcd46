/**
 * Writes what an operator has to say in an object's status, by server-side apply under its own field
 * manager: what others say stays, what it says no longer goes, and conditions are merged by type
 * where the kind declares them as a map. The StatusWriter of this room, a merge patch, is for kinds
 * that have one writer, such as the built-in ones: half the cost for the server, but it replaces
 * conditions as it read them, and never removes what a former version of the operator has said.
 *
 * I1. A status that would change nothing is not sent, see decide-write.ts.
 * I2. A condition's transition time moves only with its status, also while the cache is older than
 *     the own last write.
 * I3. `observedGeneration` is the generation that was read.
 * I4. A new object of the same name does not get the old one's status. Servers compare a uid for
 *     some kinds only, so the version goes along, which is unique. Where it is not the newest, the
 *     object is looked at and, if it is the same one, the status sent without: one that changes all
 *     the time would never be told. What slips through in between is taken back.
 * I5. Kinds of others may have no room for `observedGeneration` in their schema. What is refused is
 *     tried with less of it, once: what then passes is remembered for the kind.
 * I6. After a write without an answer the next one is sent whatever the cache shows: it may be
 *     behind what that write has done, and nothing would wake the operator when it catches up.
 */
import { type Clock, hasCode, type JsonObject } from '@fnlet/base';
import { isOlderVersion, type ResourceClient } from '@fnlet/client';
import {
  type Condition,
  type ConditionUpdate,
  type KubeObject,
  mergeConditions,
  objectKey,
  StatusError,
  statusError,
  toKubeTime,
} from '@fnlet/machinery';
import { ReconcileError } from '../reconcile-error.ts';
import type { ObjectWithStatus } from '../status-writer.ts';
import type { Applied } from './apply-memory.ts';
import { decideWrite, readAnswer, type WriteDecision, type WriteQuestion } from './decide-write.ts';
import { fullRoom, type GenerationRoom, roomsOf } from './generation-room.ts';
import { rememberedStatusesMax } from './limits.ts';
import { type Applier, OwnedFieldsReader } from './owned-fields.ts';
import { RecentMap } from './recent-map.ts';

/** All that an operator has to say of an object. */
export interface StatusIntent {
  readonly fields?: JsonObject;
  readonly conditions?: readonly ConditionUpdate[];
  /** Which generation of the object that is about. Default: the one that was read. */
  readonly generation?: number | undefined;
}

/** Writes an operator's part of statuses, and only when it differs. */
export interface StatusApplier<T extends ObjectWithStatus> {
  /**
   * Writes what is to be said of `object`, the state that was read; returns the object as the API
   * answered, or `undefined` when there was nothing to write.
   *
   * @throws StatusError `Conflict` when another object has the name by now, `NotFound` when it is
   *   gone
   */
  write(object: T, status: StatusIntent, signal: AbortSignal): Promise<T | undefined>;
  /**
   * Whether somebody else has changed what was said last of `object`, a newer state of the same
   * generation; `false` when nothing was said, or a write is under way.
   */
  isOverruled(object: T): boolean;
  /** Lets go of what is remembered of an object that is gone. */
  forget(uid: string): void;
}

export interface StatusApplierOptions<T extends ObjectWithStatus> {
  readonly client: Pick<ResourceClient<T>, 'apply' | 'get' | 'type'>;
  /** The field manager of that client. */
  readonly fieldManager: string;
  /** Whether the kind was made with `defineKind`, so that it has room for all. Default false. */
  readonly isOwnKind?: boolean;
  readonly clock: Clock;
}

export function createStatusApplier<T extends ObjectWithStatus>(
  options: StatusApplierOptions<T>,
): StatusApplier<T> {
  return new RememberingApplier(options);
}

interface Said {
  readonly manifest: KubeObject;
  readonly applied: Applied;
  readonly conditions: readonly Condition[];
}

type Settled = Extract<WriteDecision, { readonly isNeeded: false }>;

class RememberingApplier<T extends ObjectWithStatus> implements StatusApplier<T> {
  readonly #options: StatusApplierOptions<T>;
  readonly #applier: Applier;
  readonly #reader = new OwnedFieldsReader();
  readonly #said = new RecentMap<Said>(rememberedStatusesMax);
  readonly #doubtful = new RecentMap<true>(rememberedStatusesMax);
  readonly #writing = new Set<string>();
  /** The rooms that the kind may have; what is refused was too large. */
  #rooms: readonly GenerationRoom[];

  constructor(options: StatusApplierOptions<T>) {
    this.#options = options;
    this.#applier = { manager: options.fieldManager, subresource: 'status' };
    this.#rooms = options.isOwnKind === true ? [fullRoom] : roomsOf(options.client.type.group);
  }

  async write(object: T, status: StatusIntent, signal: AbortSignal): Promise<T | undefined> {
    const { uid = '' } = object.metadata;
    const said = this.#said.get(uid);
    const now = toKubeTime(this.#options.clock.now());
    const form = statusForm(object, status, { current: currentConditions(object, said), now });
    const [applier, reader] = [this.#applier, this.#reader];
    const about = { observed: object, applier, reader, applied: said?.applied };
    const settled = this.#settled(form, about);
    if (settled !== undefined && this.#doubtful.get(uid) === undefined) {
      const { manifest, decision } = settled;
      if (decision.reason === 'Same') {
        const conditions = conditionsOf(object);
        this.#said.set(uid, { manifest, applied: decision.applied, conditions });
      }
      return undefined;
    }
    this.#doubtful.set(uid, true);
    this.#writing.add(uid);
    const { answer, sent } = await this.#fit(object, form, signal).finally(() => {
      this.#writing.delete(uid);
    });
    this.#doubtful.delete(uid);
    const { applied } = readAnswer({ ...about, manifest: sent }, answer);
    if (applied === undefined) this.#said.delete(uid);
    else this.#said.set(uid, { manifest: sent, applied, conditions: conditionsOf(answer) });
    return answer;
  }

  /** Whether it is said already, in the form that there is room for (I5). */
  #settled(
    form: StatusForm,
    about: Omit<WriteQuestion, 'manifest'>,
  ): { readonly manifest: KubeObject; readonly decision: Settled } | undefined {
    for (const room of this.#rooms) {
      const manifest = form(room);
      const decision = decideWrite({ ...about, manifest });
      if (!decision.isNeeded) return { manifest, decision };
    }
    return undefined;
  }

  // I5
  async #fit(
    object: T,
    form: StatusForm,
    signal: AbortSignal,
  ): Promise<{ readonly sent: KubeObject; readonly answer: T }> {
    let refusal: unknown;
    for (const [index, room] of this.#rooms.entries()) {
      const sent = form(room);
      try {
        const answer = await this.#send(object, sent, signal);
        // Without conditions nobody knows whether there is room in them.
        const isWhole = conditionsOf(sent).length > 0;
        this.#rooms = isWhole ? [room] : this.#rooms.slice(index);
        return { sent, answer };
      } catch (error) {
        refusal ??= error;
        if (!isRefusedField(error)) throw error;
      }
    }
    throw refusal;
  }

  // I4
  async #send(object: T, manifest: KubeObject, signal: AbortSignal): Promise<T> {
    const { client } = this.#options;
    const { uid = '', resourceVersion } = object.metadata;
    const target = { subresource: 'status', force: true, signal };
    const guard = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    try {
      const metadata = { ...manifest.metadata, ...guard };
      return await client.apply({ ...manifest, metadata }, target);
    } catch (error) {
      if (isNoSubresource(error)) throw noStatus(object, error);
      if (!hasCode(error, 'Conflict')) throw error;
    }
    const live = await client.get(objectKey(object), { signal });
    if (live.metadata.uid !== uid) throw anotherObject(object, live);
    const answer = await client.apply(manifest, target);
    if (answer.metadata.uid === uid) return answer;
    await client.apply({ ...manifest, status: {} }, target);
    throw anotherObject(object, answer);
  }

  isOverruled(object: T): boolean {
    const { uid = '' } = object.metadata;
    const said = this.#said.get(uid);
    if (said === undefined || this.#writing.has(uid)) return false;
    const { manifest, applied } = said;
    const [applier, reader] = [this.#applier, this.#reader];
    return decideWrite({ manifest, observed: object, applied, applier, reader }).isNeeded;
  }

  forget(uid: string): void {
    this.#said.delete(uid);
    this.#doubtful.delete(uid);
  }
}

/**
 * Whether there is no room for it. API servers tell of an unknown field in an apply by words alone
 * (structured-merge-diff, typed/validate.go): with the status 500, and without a reason.
 */
function isRefusedField(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    error.message.includes('observedGeneration: field not declared in schema')
  );
}

/** Whether it is the place that is not there: of an object that is gone, its name is told. */
function isNoSubresource(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    error.code === 'NotFound' &&
    error.status.details?.name === undefined
  );
}

function noStatus({ kind, metadata }: KubeObject, cause: unknown): ReconcileError {
  const text = `Cannot write the status of ${kind} "${metadata.name}": found that its kind has none`;
  const remedy = 'Answer without status and conditions, or let another kind tell of it';
  return new ReconcileError('Terminal', text, { cause, remedy });
}

function anotherObject(object: KubeObject, found: KubeObject): StatusError {
  const { name, uid } = object.metadata;
  const text = `found one with uid ${found.metadata.uid}, expected ${uid}`;
  return statusError('Conflict', `Cannot write the status of ${object.kind} "${name}": ${text}`);
}

/** The newest conditions that are known: those that were read, or of an own write after that. */
function currentConditions(object: ObjectWithStatus, said: Said | undefined): readonly Condition[] {
  const { resourceVersion } = object.metadata;
  const isStale = isOlderVersion(resourceVersion, said?.applied.resourceVersion);
  return said !== undefined && isStale ? said.conditions : conditionsOf(object);
}

function conditionsOf({ status }: ObjectWithStatus): readonly Condition[] {
  return status?.conditions ?? [];
}

/** The status as it is said where there is this much room for generations. */
type StatusForm = (room: GenerationRoom) => ObjectWithStatus;

function statusForm(
  object: KubeObject,
  { fields, conditions = [], generation = object.metadata.generation }: StatusIntent,
  { current, now }: { readonly current: readonly Condition[]; readonly now: string },
): StatusForm {
  const { apiVersion, kind } = object;
  const { name, namespace } = object.metadata;
  const types = new Set(conditions.map(({ type }) => type));
  const own = current.filter(({ type }) => types.has(type));
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const read = observed(object.metadata.generation);
  return ({ inStatus, inConditions }) => {
    const updates = conditions.map((condition) => {
      const { observedGeneration, ...rest } = { ...read, ...condition };
      return inConditions ? { ...rest, ...observed(observedGeneration) } : rest;
    });
    // In the order in which they are said now: the order of before is none of their business.
    const merged = mergeConditions(own, updates, now);
    const ordered = conditions.flatMap(({ type }) => merged.filter((one) => one.type === type));
    const said = ordered.length === 0 ? {} : { conditions: ordered };
    const about = inStatus ? observed(generation) : {};
    return { apiVersion, kind, metadata, status: { ...about, ...fields, ...said } };
  };
}

// Kinds without generations observe none.
function observed(generation: number | undefined): { readonly observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}
