import type { LogEntry } from '@fnlet/store/log';
import type { CloudEvent } from './cloud-event.ts';
import { packEvent } from './packed-event.ts';

/** The event as a stream keeps it; with its source and its id it is the same event again. */
export function eventEntry(event: CloudEvent): LogEntry {
  const { source, id } = event.attributes;
  // No attribute holds a line break.
  return { id: `${source}\n${id}`, payload: packEvent(event) };
}
