import type { LogConsumer, LogStream } from '@fnlet/store/log';
import { firstAfter } from '../broker/first-after.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { unpackEvent } from '../event/packed-event.ts';
import type { EventHappening, EventOutcome, EventPlace } from './event-happening.ts';
import { tailLimits } from './limits.ts';

/** Which of what a stream keeps. */
export interface HistoryOptions {
  readonly place: EventPlace;
  readonly outcome: EventOutcome;
  /** From then on, milliseconds since 1970. */
  readonly sinceMs: number;
  /** Which records count. Default: all. */
  readonly counts?: (sequence: number) => boolean;
}

/** What happened to events that a stream still keeps; of very many the first. */
export async function readHistory(
  stream: LogStream,
  { place, outcome, sinceMs, counts = () => true }: HistoryOptions,
): Promise<readonly EventHappening[]> {
  const found: EventHappening[] = [];
  let next = await firstAfter(stream, sinceMs - 1);
  while (found.length < tailLimits.historyMax) {
    const { readRecords, readBytes: maxBytes, historyMax } = tailLimits;
    const limit = Math.min(readRecords, historyMax - found.length);
    const records = await stream.read(next, { limit, maxBytes });
    for (const { sequence, timeMs, payload } of records) {
      next = sequence + 1;
      const event = counts(sequence) ? tryUnpack(payload) : undefined;
      if (event !== undefined) found.push({ ...place, timeMs, outcome, event });
    }
    if (records.length === 0) break;
  }
  return found;
}

/** Which records of a stream its consumer is not done with; what is settled goes from it later. */
export async function unsettled(consumer: LogConsumer): Promise<(sequence: number) => boolean> {
  const outstanding = new Set<number>();
  for await (const { sequence } of consumer.outstanding()) outstanding.add(sequence);
  const { cursor } = consumer;
  return (sequence) => sequence > cursor || outstanding.has(sequence);
}

/** What is kept is no event: it is a dead letter soon. */
function tryUnpack(payload: Uint8Array): CloudEvent | undefined {
  try {
    return unpackEvent(payload);
  } catch {
    return undefined;
  }
}
