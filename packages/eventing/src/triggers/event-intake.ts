/**
 * The way of events into the stream of a Trigger.
 *
 * I1. `accept` resolves only when all events that pass the filter are durable.
 * I2. Of events with the same source and id, those that come soon after the first are left out.
 * I3. While too many wait, it waits; and so does whoever brings them.
 * I4. What is too large to be kept is given up, durably, before `accept` resolves.
 */
import { type Clock, errorMessage, hasCode, sleep } from '@fnlet/base';
import { type Appended, appendParts, type LogEntry, type LogStream } from '@fnlet/store/log';
import { replaysOf } from '../dead-letters/dead-letter.ts';
import type { CloudEvent, EventAttributes } from '../event/cloud-event.ts';
import { eventEntry, eventIdentity } from '../event/event-entry.ts';
import { packEvent } from '../event/packed-event.ts';
import type { SourceHappening } from '../sources/source.ts';
import type { EventWatch } from '../tail/event-watch.ts';
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

/** An event, and what is kept of it. */
interface KeptEvent {
  readonly entry: LogEntry;
  readonly event: CloudEvent;
}

/** Entries, and the events that they are. */
interface Parcel {
  readonly entries: readonly LogEntry[];
  readonly events: readonly CloudEvent[];
}

export interface EventIntakeOptions {
  readonly stream: LogStream;
  readonly clock: Clock;
  /** Tells users of what cannot be kept. */
  readonly tell: (happening: SourceHappening) => void;
  /** Resolves once it is kept that this event could not be, without its data. */
  readonly giveUp: (event: CloudEvent, trouble: string) => Promise<void>;
  /** Told what became of events while anybody wants to know. Default: nobody does. */
  readonly watch?: EventWatch | undefined;
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
  accept(events: readonly CloudEvent[], signal: AbortSignal): Promise<void> {
    const event = events[0];
    if (event === undefined || events.length > 1) return this.#acceptMany(events, signal);
    const entry = this.#entryOf(event);
    if (entry === undefined) return Promise.resolve();
    return isTooLarge(entry)
      ? this.#refuse({ entry, event })
      : this.#append({ entries: [entry], events }, signal);
  }

  async #acceptMany(events: readonly CloudEvent[], signal: AbortSignal): Promise<void> {
    const kept: KeptEvent[] = [];
    const tooLarge: KeptEvent[] = [];
    for (const event of events) {
      const entry = this.#entryOf(event);
      if (entry !== undefined) (isTooLarge(entry) ? tooLarge : kept).push({ entry, event });
    }
    await this.#appendAll(kept, signal);
    for (const each of tooLarge) await this.#refuse(each);
  }

  /** I4 */
  async #refuse({ entry, event }: KeptEvent): Promise<void> {
    const { source, id } = event.attributes;
    const size = `found ${entry.payload.length} bytes, expected at most ${triggerLimits.eventBytesMax}`;
    const message = `Cannot keep event "${id}" of ${source}: ${size}`;
    await this.#options.giveUp(event, message);
    this.counts.refused++;
    this.#options.watch?.('dead', event);
    this.#options.tell({ reason: 'EventTooLarge', message });
  }

  /**
   * Takes events a second time that were given up, whatever the filter says now and however lately
   * they came (I2 is about sources): each once for each time that it is replayed.
   *
   * @throws as `accept`
   */
  async replay(events: readonly CloudEvent[], signal: AbortSignal): Promise<void> {
    const kept = events.map((event): KeptEvent => {
      const id = `replay/${replaysOf(event)}/${eventIdentity(event.attributes)}`;
      return { entry: { id, payload: packEvent(event) }, event };
    });
    await this.#appendAll(kept, signal);
  }

  /** In as many appends as it takes. */
  async #appendAll(kept: readonly KeptEvent[], signal: AbortSignal): Promise<void> {
    const { stream } = this.#options;
    const { appendEntriesMax: entriesMax, appendBytesMax } = triggerLimits;
    const bytesMax = Math.min(appendBytesMax, stream.appendBytesMax);
    for (const part of appendParts(kept, ({ entry }) => entry, { bytesMax, entriesMax })) {
      const entries = part.map(({ entry }) => entry);
      await this.#append({ entries, events: part.map(({ event }) => event) }, signal);
    }
  }

  #entryOf(event: CloudEvent): LogEntry | undefined {
    const { attributes } = event;
    if (!this.passes(attributes)) {
      this.counts.filtered++;
      this.#options.watch?.('filtered', event);
      return undefined;
    }
    return eventEntry(event);
  }

  /** Without a wait of its own where there is room: most events come one by one. */
  #append(parcel: Parcel, signal: AbortSignal): Promise<void> {
    const { entries } = parcel;
    return this.#room < entries.length
      ? this.#makeRoom(entries.length, signal).then(() => this.#appendNow(parcel, signal))
      : this.#appendNow(parcel, signal);
  }

  #appendNow({ entries, events }: Parcel, signal: AbortSignal): Promise<void> {
    this.#room -= entries.length;
    if (signal.aborted) return Promise.reject(signal.reason);
    return this.#options.stream.append(entries).then(
      ({ sequences }) => this.#note(sequences, events),
      async (error: unknown) => {
        const { sequences } = await this.#appendLater(entries, error, signal);
        this.#note(sequences, events);
      },
    );
  }

  /** They are durable, but for those that were there already. */
  #note(sequences: Appended['sequences'], events: readonly CloudEvent[]): void {
    const { clock, watch, onAccepted } = this.#options;
    let accepted = 0;
    for (const sequence of sequences) if (sequence !== undefined) accepted++;
    this.counts.accepted += accepted;
    this.counts.duplicate += sequences.length - accepted;
    if (watch !== undefined) {
      for (const [index, event] of events.entries()) {
        watch(sequences[index] === undefined ? 'duplicate' : 'accepted', event);
      }
    }
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
  }

  /** Waits while the disk is full, which `trouble` says. */
  async #appendLater(
    entries: readonly LogEntry[],
    trouble: unknown,
    signal: AbortSignal,
  ): Promise<Appended> {
    const { stream, clock, tell } = this.#options;
    let error = trouble;
    while (true) {
      if (!hasCode(error, 'Full')) throw error;
      tell({ reason: 'LogFull', message: errorMessage(error) });
      await sleep(clock, triggerLimits.roomRetryMs, signal);
      signal.throwIfAborted();
      try {
        return await stream.append(entries);
      } catch (next) {
        error = next;
      }
    }
  }
}

function isTooLarge({ payload }: LogEntry): boolean {
  return payload.length > triggerLimits.eventBytesMax;
}
