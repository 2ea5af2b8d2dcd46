import type { CloudEvent } from '../event/cloud-event.ts';
import { formatJsonEvent } from '../event/json-event.ts';

/**
 * - `accepted`: it is kept, on the disk.
 * - `duplicate`: it is kept already, and is not kept again.
 * - `filtered`: the filters of the Trigger did not let it through.
 * - `delivered`: the target took it.
 * - `failed`: a try to deliver it came to nothing.
 * - `dead`: it was given up, and is a dead letter.
 * - `waiting`: it was accepted, and is not settled (of what happened before).
 */
export type EventOutcome =
  | 'accepted'
  | 'duplicate'
  | 'filtered'
  | 'delivered'
  | 'failed'
  | 'dead'
  | 'waiting';

/** Where something happens to events. */
export interface EventPlace {
  readonly kind: 'Trigger' | 'Broker';
  readonly namespace: string;
  readonly name: string;
}

/** Something that happened to an event. */
export interface EventHappening extends EventPlace {
  readonly timeMs: number;
  readonly outcome: EventOutcome;
  /** What the target answered, where it did. */
  readonly code?: number;
  readonly event: CloudEvent;
}

/** Whose events are wanted. What is not given is not looked at. */
export interface TailQuery {
  readonly namespace?: string | undefined;
  readonly kind?: EventPlace['kind'] | undefined;
  readonly name?: string | undefined;
  /** Whether the data of events is told, too. */
  readonly withData: boolean;
}

export function isWanted({ namespace, kind, name }: TailQuery, place: EventPlace): boolean {
  return (
    (namespace === undefined || namespace === place.namespace) &&
    (kind === undefined || kind === place.kind) &&
    (name === undefined || name === place.name)
  );
}

/** One line of JSON; the event in the JSON format of CloudEvents. */
export function formatHappening(happening: EventHappening, withData: boolean): string {
  const { timeMs, kind, namespace, name, outcome, code, event } = happening;
  const { attributes, data } = event;
  const told = {
    time: new Date(timeMs).toISOString(),
    ...{ kind, namespace, name, outcome },
    ...(code === undefined ? {} : { code }),
  };
  const shown = formatJsonEvent({ attributes, data: withData ? data : undefined });
  return `${JSON.stringify(told).slice(0, -1)},"event":${shown}}\n`;
}
