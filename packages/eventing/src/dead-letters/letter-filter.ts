import type { CloudEvent } from '../event/cloud-event.ts';

/** Which dead letters are meant: those to which all of it applies. */
export interface LetterFilter {
  /** Attributes of the event. */
  readonly type?: string;
  readonly source?: string;
  readonly id?: string;
  /** Given up at this time or later, milliseconds since 1970. */
  readonly sinceMs?: number;
  /** Given up before this time. */
  readonly untilMs?: number;
}

/** Whether a dead letter of this time is meant. */
export function matchesFilter(
  filter: LetterFilter,
  { attributes }: CloudEvent,
  timeMs: number,
): boolean {
  const { type, source, id, sinceMs, untilMs } = filter;
  return (
    (type === undefined || attributes.type === type) &&
    (source === undefined || attributes.source === source) &&
    (id === undefined || attributes.id === id) &&
    (sinceMs === undefined || timeMs >= sinceMs) &&
    (untilMs === undefined || timeMs < untilMs)
  );
}
