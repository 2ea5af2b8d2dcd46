import type { DeliveryCounts } from '../delivery/delivery-counts.ts';
import type { IntakeCounts } from './event-intake.ts';
import type { TriggerState } from './trigger-run.ts';

type Counts = Readonly<IntakeCounts & DeliveryCounts>;

/** How a Trigger was when somebody looked, and what it had counted by then. */
export interface Looked {
  readonly state: TriggerState;
  readonly counts: Counts;
}

/**
 * How many events wait to be delivered by a Trigger now, those that wait at its source included:
 * what there was when somebody looked last, with what came and went since. Where it delivers
 * nothing, because its target fails, none do: nobody could take care of them.
 */
export function lagSince({ state, counts: before }: Looked, now: Counts): number {
  if (state.delivery.circuit === 'open') return 0;
  const came = now.accepted - before.accepted;
  const went = settled(now) - settled(before);
  return Math.max(0, state.pending + came - went) + (state.source.lag ?? 0);
}

function settled({ delivered, dead, superseded, skipped, lost }: Counts): number {
  return delivered + dead + superseded + skipped + lost;
}
