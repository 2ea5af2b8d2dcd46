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
 * I5. After a write without an answer the next one is sent whatever the cache shows: it may be
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
  type StatusError,
  statusError,
  toKubeTime,
} from '@fnlet/machinery';
import type { ObjectWithStatus } from '../status-writer.ts';
import type { Applied } from './apply-memory.ts';
import { decideWrite, readAnswer } from './decide-write.ts';
import { rememberedStatusesMax } from './limits.ts';
import { type Applier, OwnedFieldsReader } from './owned-fields.ts';
import { RecentMap } from './recent-map.ts';

/** All that an operator has to say of an object. */
export interface StatusIntent {
  readonly fields?: JsonObject;
  readonly conditions?: readonly ConditionUpdate[];
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
  readonly client: Pick<ResourceClient<T>, 'apply' | 'get'>;
  /** The field manager of that client. */
  readonly fieldManager: string;
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

class RememberingApplier<T extends ObjectWithStatus> implements StatusApplier<T> {
  readonly #options: StatusApplierOptions<T>;
  readonly #applier: Applier;
  readonly #reader = new OwnedFieldsReader();
  readonly #said = new RecentMap<Said>(rememberedStatusesMax);
  readonly #doubtful = new RecentMap<true>(rememberedStatusesMax);
  readonly #writing = new Set<string>();

  constructor(options: StatusApplierOptions<T>) {
    this.#options = options;
    this.#applier = { manager: options.fieldManager, subresource: 'status' };
  }

  async write(object: T, status: StatusIntent, signal: AbortSignal): Promise<T | undefined> {
    const { uid = '' } = object.metadata;
    const said = this.#said.get(uid);
    const now = toKubeTime(this.#options.clock.now());
    const manifest = statusManifest(object, status, {
      current: currentConditions(object, said),
      now,
    });
    const [applier, reader] = [this.#applier, this.#reader];
    const question = { manifest, observed: object, applier, reader };
    const decision = decideWrite({ ...question, applied: said?.applied });
    if (!decision.isNeeded && this.#doubtful.get(uid) === undefined) {
      if (decision.reason === 'Same') {
        const conditions = conditionsOf(object);
        this.#said.set(uid, { manifest, applied: decision.applied, conditions });
      }
      return undefined;
    }
    this.#doubtful.set(uid, true);
    this.#writing.add(uid);
    const answer = await this.#send(object, manifest, signal).finally(() => {
      this.#writing.delete(uid);
    });
    this.#doubtful.delete(uid);
    const { applied } = readAnswer(question, answer);
    if (applied === undefined) this.#said.delete(uid);
    else this.#said.set(uid, { manifest, applied, conditions: conditionsOf(answer) });
    return answer;
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

function statusManifest(
  object: KubeObject,
  { fields, conditions = [] }: StatusIntent,
  { current, now }: { readonly current: readonly Condition[]; readonly now: string },
): KubeObject {
  const { apiVersion, kind } = object;
  const { name, namespace, generation } = object.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const types = new Set(conditions.map(({ type }) => type));
  const own = current.filter(({ type }) => types.has(type));
  const updates = conditions.map((condition) => ({ ...observed, ...condition }));
  // In the order in which they are said now: the order of before is none of their business.
  const merged = mergeConditions(own, updates, now);
  const ordered = conditions.flatMap(({ type }) => merged.filter((found) => found.type === type));
  const said = ordered.length === 0 ? {} : { conditions: ordered };
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion, kind, metadata, status: { ...observed, ...fields, ...said } };
}
