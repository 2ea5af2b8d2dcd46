/**
 * The way of events into the stream of a Trigger.
 *
 * I1. `accept` resolves only when all events that pass the filter are durable.
 * I2. Of events with the same source and id, those that come soon after the first are left out.
 * I3. While too many wait, it waits; and so does whoever brings them.
 */
import { type Clock, errorMessage, hasCode, sleep } from '@fnlet/base';
import type { LogEntry, LogStream } from '@fnlet/store/log';
import { replaysOf } from '../dead-letters/dead-letter.ts';
import type { CloudEvent, EventAttributes } from '../event/cloud-event.ts';
import { eventEntry, eventIdentity } from '../event/event-entry.ts';
import { packEvent } from '../event/packed-event.ts';
import type { SourceHappening } from '../sources/source.ts';
import { triggerLimits } from './limits.ts';

/** What came in since the start. */
export interface IntakeCounts {
  accepted: number;
  /** The filter did not let them through. */
  filtered: number;
  /** They were there already. */
  duplicate: number;
  /** They are too large to be kept. */
  refused: number;
}

export interface EventIntakeOptions {
  readonly stream: LogStream;
  readonly clock: Clock;
  /** Tells users of what cannot be kept. */
  readonly tell: (happening: SourceHappening) => void;
  /** Called after something was accepted. */
  readonly onAccepted: () => void;
}

export class EventIntake {
  readonly counts: IntakeCounts = { accepted: 0, filtered: 0, duplicate: 0, refused: 0 };
  /** Which events are taken. */
  passes: (attributes: EventAttributes) => boolean = () => true;
  /** When the newest event came. */
  lastEventMs: number | undefined;
  readonly #options: EventIntakeOptions;
  /** How many more may come before it is looked how many wait. */
  #room = 0;

  constructor(options: EventIntakeOptions) {
    this.#options = options;
  }

  /** @throws what the log throws, and the reason of `signal` when that aborts before. */
  async accept(events: readonly CloudEvent[], signal: AbortSignal): Promise<void> {
    let entries: LogEntry[] = [];
    let bytes = 0;
    for (const event of events) {
      const entry = this.#entryOf(event);
      if (entry === undefined) continue;
      entries.push(entry);
      bytes += entry.payload.length;
      const { appendEntriesMax, appendBytesMax } = triggerLimits;
      if (entries.length < appendEntriesMax && bytes < appendBytesMax) continue;
      await this.#append(entries, signal);
      entries = [];
      bytes = 0;
    }
    if (entries.length > 0) await this.#append(entries, signal);
  }

  /**
   * Takes events a second time that were given up, whatever the filter says now and however lately
   * they came (I2 is about sources): each once for each time that it is replayed.
   *
   * @throws as `accept`
   */
  async replay(events: readonly CloudEvent[], signal: AbortSignal): Promise<void> {
    const entries = events.map((event) => {
      const id = `replay/${replaysOf(event)}/${eventIdentity(event.attributes)}`;
      return { id, payload: packEvent(event) };
    });
    await this.#append(entries, signal);
  }

  #entryOf(event: CloudEvent): LogEntry | undefined {
    const { attributes } = event;
    if (!this.passes(attributes)) {
      this.counts.filtered++;
      return undefined;
    }
    const entry = eventEntry(event);
    const { length } = entry.payload;
    if (length <= triggerLimits.eventBytesMax) return entry;
    this.counts.refused++;
    const { source, id } = attributes;
    const size = `found ${length} bytes, expected at most ${triggerLimits.eventBytesMax}`;
    const message = `Cannot keep event "${id}" of ${source}: ${size}`;
    this.#options.tell({ reason: 'EventTooLarge', message });
    return undefined;
  }

  async #append(entries: readonly LogEntry[], signal: AbortSignal): Promise<void> {
    const { stream, clock, onAccepted } = this.#options;
    await this.#makeRoom(entries.length, signal);
    const { sequences } = await this.#patiently(() => stream.append(entries), signal);
    const accepted = sequences.filter((sequence) => sequence !== undefined).length;
    this.counts.accepted += accepted;
    this.counts.duplicate += sequences.length - accepted;
    if (accepted === 0) return;
    this.lastEventMs = clock.now();
    onAccepted();
  }

  async #makeRoom(count: number, signal: AbortSignal): Promise<void> {
    const { stream, clock } = this.#options;
    while (this.#room < count) {
      const { records } = await stream.size();
      this.#room = triggerLimits.pendingMax - records;
      if (this.#room >= count) break;
      await sleep(clock, triggerLimits.roomRetryMs, signal);
      signal.throwIfAborted();
    }
    this.#room -= count;
  }

  /** Waits while the disk is full. */
  async #patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, tell } = this.#options;
    while (true) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (!hasCode(error, 'Full')) throw error;
        tell({ reason: 'LogFull', message: errorMessage(error) });
        await sleep(clock, triggerLimits.roomRetryMs, signal);
      }
    }
  }
}
