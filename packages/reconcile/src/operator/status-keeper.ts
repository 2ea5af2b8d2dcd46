/**
 * What an operator says in the statuses of its objects. An apply says everything at once; an answer
 * that says nothing of the fields, or of the conditions, leaves those as they are, so what was said
 * before is said again: conditions about the generation that they were said about, and all of it
 * when the run has failed.
 *
 * I1. At most `rememberedStatusesMax` statuses are remembered. Of one that is not, such as after a
 *     start, the object tells what was said: what managedFields say is ours, and nothing else. To
 *     say again what others have said would be to take it away from them.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import { type Condition, type ConditionUpdate, type KubeObject, objectKey } from '@fnlet/machinery';
import { rememberedStatusesMax } from '../apply/limits.ts';
import { type Applier, OwnedFieldsReader } from '../apply/owned-fields.ts';
import { ownedPart } from '../apply/owned-part.ts';
import { RecentMap } from '../apply/recent-map.ts';
import type { StatusApplier } from '../apply/status-applier.ts';
import type { ObjectWithStatus } from '../status-writer.ts';

/** What is to be said now; what is `undefined` stays as it is. */
export interface Statement {
  readonly fields?: JsonObject | undefined;
  readonly conditions?: readonly ConditionUpdate[] | undefined;
  /** Conditions of the operator runtime, beside those of the user. */
  readonly own: readonly ConditionUpdate[];
  /** Whether the run came to no answer: what was said before is then about no newer generation. */
  readonly isFailure?: boolean;
}

interface Said {
  readonly fields: JsonObject;
  readonly conditions: readonly ConditionUpdate[];
  /** Which generation that is about; `undefined` while nothing was said. */
  readonly generation: number | undefined;
}

const nothing: Said = { fields: {}, conditions: [], generation: undefined };

export class StatusKeeper {
  readonly #applier: StatusApplier<ObjectWithStatus>;
  readonly #client: Pick<ResourceClient<KubeObject>, 'get'>;
  readonly #self: Applier;
  readonly #reader = new OwnedFieldsReader();
  readonly #said = new RecentMap<Said>(rememberedStatusesMax);

  /** `client` reads objects of the kind; `fieldManager` is as whom the applier writes. */
  constructor(
    applier: StatusApplier<ObjectWithStatus>,
    client: Pick<ResourceClient<KubeObject>, 'get'>,
    fieldManager: string,
  ) {
    this.#applier = applier;
    this.#client = client;
    this.#self = { manager: fieldManager, subresource: 'status' };
  }

  /** Says it of `object`, the state that it is about; writes nothing when it is said already. */
  async say(object: KubeObject, statement: Statement, signal: AbortSignal): Promise<void> {
    const { uid = '' } = object.metadata;
    const ownTypes = new Set(statement.own.map(({ type }) => type));
    const before = this.#said.get(uid) ?? (await this.#read(object, { statement, signal }));
    const { fields = before.fields, isFailure = false } = statement;
    const { generation } = object.metadata;
    const about = isFailure ? (before.generation ?? generation) : generation;
    const conditions = statement.conditions?.map((condition) => {
      return { ...condition, ...observed(generation) };
    });
    const users = (conditions ?? before.conditions).filter(({ type }) => !ownTypes.has(type));
    const own = statement.own;
    const intent = { fields, conditions: [...users, ...own], generation: about };
    await this.#applier.write(object, intent, signal);
    // What was refused was not said.
    this.#said.set(uid, { fields, conditions: users, generation: about });
  }

  // I1
  async #read(
    object: KubeObject,
    { statement, signal }: { readonly statement: Statement; readonly signal: AbortSignal },
  ): Promise<Said> {
    const isAll = statement.fields !== undefined && statement.conditions !== undefined;
    if (isAll && statement.isFailure !== true) return nothing;
    // Caches that keep a part of each object do not know whose its fields are.
    const isTold = object.metadata.managedFields !== undefined;
    const live = isTold ? object : await this.#client.get(objectKey(object), { signal });
    const owned = this.#reader.ofApplier(live, this.#self);
    if (owned === undefined || live.metadata.uid !== object.metadata.uid) return nothing;
    const part = ownedPart(live, owned.fields, undefined);
    return isJsonObject(part) && isJsonObject(part.status) ? parseStatus(part.status) : nothing;
  }

  /** Whether somebody else has changed what was said of `object`, a state of the same generation. */
  isOverruled(object: KubeObject): boolean {
    return this.#applier.isOverruled(object);
  }

  /** Lets go of what is remembered of an object that is gone. */
  forget(uid: string): void {
    this.#said.delete(uid);
    this.#applier.forget(uid);
  }
}

// Kinds without generations observe none.
function observed(generation: number | undefined): { readonly observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function parseStatus(status: ObjectWithStatus['status'] & JsonObject): Said {
  const { conditions, observedGeneration, ...fields } = status;
  const known: readonly Condition[] = Array.isArray(conditions) ? conditions : [];
  return {
    fields,
    conditions: known.map(({ lastTransitionTime: _, ...said }) => said),
    generation: typeof observedGeneration === 'number' ? observedGeneration : undefined,
  };
}
