import type { CloudEvent } from '../event/cloud-event.ts';

/** Which dead letters are meant: those to which all of it applies. */
export interface LetterFilter {
  /** Attributes of the event. */
  readonly type?: string;
  readonly source?: string;
  readonly id?: string;
  /** Why they were given up, as `fnletreason` says it. */
  readonly reason?: string;
  /** Only that one of its Trigger. */
  readonly number?: number;
  /** Given up at this time or later, milliseconds since 1970. */
  readonly sinceMs?: number;
  /** Given up before this time. */
  readonly untilMs?: number;
}

/** What a filter looks at. */
export interface FilteredLetter {
  readonly number: number;
  /** When it was given up. */
  readonly timeMs: number;
  readonly event: CloudEvent;
  readonly cause: { readonly reason: string };
}

/** Whether this dead letter is meant. */
export function matchesFilter(
  filter: LetterFilter,
  { number, timeMs, event, cause }: FilteredLetter,
): boolean {
  const { type, source, id, sinceMs, untilMs } = filter;
  const { attributes } = event;
  return (
    (type === undefined || attributes.type === type) &&
    (source === undefined || attributes.source === source) &&
    (id === undefined || attributes.id === id) &&
    (filter.reason === undefined || cause.reason === filter.reason) &&
    (filter.number === undefined || number === filter.number) &&
    (sinceMs === undefined || timeMs >= sinceMs) &&
    (untilMs === undefined || timeMs < untilMs)
  );
}
