import { sha256 } from '@fnlet/base';
import type { LogEntry } from '@fnlet/store/log';
import type { CloudEvent, EventAttributes } from './cloud-event.ts';
import { EventError } from './event-error.ts';
import { eventLimits } from './limits.ts';
import { packEvent } from './packed-event.ts';

/** The event as a stream keeps it. */
export function eventEntry(event: CloudEvent): LogEntry {
  return { id: eventIdentity(event.attributes), payload: packEvent(event) };
}

/** What an event is told apart by: its source and its id. */
export function eventIdentity({ source, id }: EventAttributes): string {
  const text = JSON.stringify([source, id]);
  return text.length > eventLimits.identityCharactersMax ? sha256(text) : text;
}

/**
 * Refuses an event that is too large to be kept.
 *
 * @throws EventError `TooLarge`
 */
export function assertKeepable(event: CloudEvent): void {
  const { keptBytesMax, attributeBytesMax } = eventLimits;
  // Mostly it is clear without packing it.
  if ((event.data?.length ?? 0) + attributeBytesMax <= keptBytesMax) return;
  const bytes = packEvent(event).length;
  if (bytes <= keptBytesMax) return;
  const { source, id } = event.attributes;
  throw new EventError(
    'TooLarge',
    `Cannot keep event "${id}" of ${source}: found ${bytes} bytes, expected at most ${keptBytesMax}`,
  );
}
