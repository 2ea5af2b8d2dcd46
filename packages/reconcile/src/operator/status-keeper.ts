/**
 * What an operator says in the statuses of its objects. An apply says everything at once; an answer
 * that says nothing of the fields, or of the conditions, leaves those as they are, so what was said
 * before is said again.
 *
 * I1. At most `rememberedStatusesMax` statuses are remembered. One that is not, such as after a
 *     start, is taken from the object as a whole: whatever is there is left there.
 */
import type { JsonObject } from '@fnlet/base';
import { isJsonObject } from '@fnlet/base';
import type { Condition, ConditionUpdate, KubeObject } from '@fnlet/machinery';
import { rememberedStatusesMax } from '../apply/limits.ts';
import { RecentMap } from '../apply/recent-map.ts';
import type { StatusApplier } from '../apply/status-applier.ts';
import type { ObjectWithStatus } from '../status-writer.ts';

/** What is to be said now; what is `undefined` stays as it is. */
export interface Statement {
  readonly fields?: JsonObject | undefined;
  readonly conditions?: readonly ConditionUpdate[] | undefined;
  /** Conditions of the operator runtime, beside those of the user. */
  readonly own: readonly ConditionUpdate[];
}

interface Said {
  readonly fields: JsonObject;
  readonly conditions: readonly ConditionUpdate[];
}

export class StatusKeeper {
  readonly #applier: StatusApplier<ObjectWithStatus>;
  readonly #said = new RecentMap<Said>(rememberedStatusesMax);

  constructor(applier: StatusApplier<ObjectWithStatus>) {
    this.#applier = applier;
  }

  /** Says it of `object`, the state that it is about; writes nothing when it is said already. */
  async say(object: KubeObject, statement: Statement, signal: AbortSignal): Promise<void> {
    const { uid = '' } = object.metadata;
    const ownTypes = new Set(statement.own.map(({ type }) => type));
    const before = this.#said.get(uid) ?? readStatus(object, ownTypes);
    const { fields = before.fields, conditions = before.conditions } = statement;
    const users = conditions.filter(({ type }) => !ownTypes.has(type));
    await this.#applier.write(object, { fields, conditions: [...users, ...statement.own] }, signal);
    // What was refused was not said.
    this.#said.set(uid, { fields, conditions: users });
  }

  /** Lets go of what is remembered of an object that is gone. */
  forget(uid: string): void {
    this.#said.delete(uid);
    this.#applier.forget(uid);
  }
}

function readStatus({ status }: ObjectWithStatus, ownTypes: ReadonlySet<string>): Said {
  if (!isJsonObject(status)) return { fields: {}, conditions: [] };
  const { conditions, observedGeneration: _, ...fields } = status;
  const known: readonly Condition[] = Array.isArray(conditions) ? conditions : [];
  return {
    fields,
    conditions: known
      .filter(({ type }) => !ownTypes.has(type))
      .map(({ lastTransitionTime: __, observedGeneration: ___, ...said }) => said),
  };
}
