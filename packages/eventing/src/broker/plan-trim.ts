/**
 * What a Broker need not keep any longer: events that every Trigger is done with and that are old
 * enough. Whatever its own bounds took before that is lost.
 */

/** How far one Trigger is. */
export interface ConsumerStanding {
  /** The first event that it is not done with. */
  readonly unsettled: number;
}

export interface TrimPlan {
  /** All events before this one go. */
  readonly before: number;
  /** Events that were there at the last look, and went before every Trigger was done with them. */
  readonly lost: number;
}

export interface StreamStanding {
  /** The oldest event that there is, now and at the last look. */
  readonly first: number;
  readonly firstBefore: number;
  /** The first event that is not old enough to go. */
  readonly young: number;
  readonly consumers: readonly ConsumerStanding[];
}

export function planTrim({ first, firstBefore, young, consumers }: StreamStanding): TrimPlan {
  const unsettled = Math.min(young, ...consumers.map((consumer) => consumer.unsettled));
  const wanted = Math.min(
    Number.POSITIVE_INFINITY,
    ...consumers.map((consumer) => consumer.unsettled),
  );
  return {
    before: Math.max(first, unsettled),
    lost: Math.max(0, first - Math.max(firstBefore, wanted)),
  };
}
