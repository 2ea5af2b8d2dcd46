import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { type Condition, type ConditionUpdate, mergeConditions } from '@fnlet/machinery';

/** What a controller knows after a run. */
export interface StatusUpdate {
  /** Fields of the status; `null` removes one, absent leaves it as it is. */
  readonly fields?: JsonObject;
  /** Statements that this controller makes; those of other types stay. */
  readonly conditions?: readonly ConditionUpdate[];
}

/** The status of an object as far as this room reads it. */
export interface StatusWithConditions {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/**
 * The merge patch (RFC 7386) that brings `current` to what `update` says, or `undefined` when it is
 * there already: same input, same world, no write.
 *
 * @param about the generation that was *read*, not the newest one, and the time of this change
 *   (RFC 3339).
 */
export function planStatus(
  current: StatusWithConditions | undefined,
  update: StatusUpdate,
  about: { readonly generation: number | undefined; readonly now: string },
): JsonObject | undefined {
  const { generation, now } = about;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions = mergeConditions(
    current?.conditions ?? [],
    (update.conditions ?? []).map((condition) => ({ ...observed, ...condition })),
    now,
  );
  const desired = { ...observed, ...update.fields, conditions };
  const known: JsonObject = isJsonObject(current) ? current : {};
  const patch = Object.fromEntries(
    Object.entries(desired).filter(([name, value]) => !isSame(known[name], value)),
  );
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isSame(current: unknown, desired: unknown): boolean {
  if (desired === null) return current === undefined || current === null;
  if (Array.isArray(desired) && desired.length === 0)
    return current === undefined || isEmpty(current);
  if (isJsonObject(desired) && isJsonObject(current)) {
    return Object.entries(desired).every(([name, value]) => isSame(current[name], value));
  }
  return jsonEqual(current, desired);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
