/** One aspect of an object's state (KEP-1623). */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The generation of the object that this was said about. */
  readonly observedGeneration?: number;
  /** When `status` last changed, RFC 3339. */
  readonly lastTransitionTime?: string;
  /** One word in CamelCase, part of the API. */
  readonly reason?: string;
  /** For people. */
  readonly message?: string;
}

/** What a controller says; the time is added by {@link mergeConditions}. */
export type ConditionUpdate = Omit<Condition, 'lastTransitionTime'>;

/**
 * `current` with `updates` merged in by type. The transition time moves only when the status
 * changes; conditions of other types stay as they are.
 *
 * @param now RFC 3339 time of this change.
 */
export function mergeConditions(
  current: readonly Condition[],
  updates: readonly ConditionUpdate[],
  now: string,
): readonly Condition[] {
  const byType = new Map(current.map((condition) => [condition.type, condition]));
  for (const update of updates) {
    const before = byType.get(update.type);
    const kept = before?.status === update.status ? before.lastTransitionTime : undefined;
    byType.set(update.type, { ...update, lastTransitionTime: kept ?? now });
  }
  return [...byType.values()];
}

/** The condition of this type, if the object has it. */
export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
