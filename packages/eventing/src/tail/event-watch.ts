import type { CloudEvent } from '../event/cloud-event.ts';
import type { EventOutcome, EventPlace } from './event-happening.ts';
import type { EventTail } from './event-tail.ts';

/** Told what happened to an event. */
export type EventWatch = (outcome: EventOutcome, event: CloudEvent, code?: number) => void;

/** What happens to the events of one Trigger, for those who watch; cheap while nobody does. */
export function createEventWatch(
  tail: EventTail | undefined,
  place: EventPlace,
  now: () => number,
): EventWatch | undefined {
  if (tail === undefined) return undefined;
  return (outcome, event, code) => {
    if (!tail.isWatched) return;
    const answered = code === undefined || code === 0 ? {} : { code };
    tail.tell({ ...place, timeMs: now(), outcome, ...answered, event });
  };
}
