/**
 * What an operator says in the statuses of its objects. An apply says everything at once; an answer
 * that says nothing of the fields, or of the conditions, leaves those as they are, so what was said
 * before is said again: conditions about the generation that they were said about, and all of it
 * when the run has failed.
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
  /** Whether the run came to no answer: what was said before is then about no newer generation. */
  readonly isFailure?: boolean;
}

interface Said {
  readonly fields: JsonObject;
  readonly conditions: readonly ConditionUpdate[];
  /** Which generation that is about; `undefined` while nothing was said. */
  readonly generation: number | undefined;
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
    const { fields = before.fields, isFailure = false } = statement;
    const { generation } = object.metadata;
    const about = isFailure ? (before.generation ?? generation) : generation;
    const conditions = statement.conditions?.map((condition) => {
      return { ...condition, ...observed(generation) };
    });
    const users = (conditions ?? before.conditions).filter(({ type }) => !ownTypes.has(type));
    const intent = {
      fields: { ...fields, ...observed(about) },
      conditions: [...users, ...statement.own],
    };
    await this.#applier.write(object, intent, signal);
    // What was refused was not said.
    this.#said.set(uid, { fields, conditions: users, generation: about });
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

function readStatus({ status }: ObjectWithStatus, ownTypes: ReadonlySet<string>): Said {
  if (!isJsonObject(status)) return { fields: {}, conditions: [], generation: undefined };
  const { conditions, observedGeneration, ...fields } = status;
  const known: readonly Condition[] = Array.isArray(conditions) ? conditions : [];
  return {
    fields,
    conditions: known
      .filter(({ type }) => !ownTypes.has(type))
      .map(({ lastTransitionTime: _, ...said }) => said),
    generation: typeof observedGeneration === 'number' ? observedGeneration : undefined,
  };
}
