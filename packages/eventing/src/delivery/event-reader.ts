/** Reads a stream as far as there is room for more events, and says of each whose turn it waits for. */
import type { LogRecord, LogStream } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { Backlog } from './backlog.ts';
import { readEvent } from './event-bodies.ts';
import { laneKey } from './lane-key.ts';
import type { DeliveryLimits } from './limits.ts';

export interface EventReaderParts {
  readonly stream: LogStream;
  /** After which record it begins. */
  readonly cursor: number;
  readonly backlog: Backlog;
  readonly keyOf?: (event: CloudEvent) => string | undefined;
  readonly wants?: (event: CloudEvent) => boolean;
  readonly limits: DeliveryLimits;
}

export class EventReader {
  readonly #parts: EventReaderParts;
  /** The last record that was read. */
  #position: number;
  #isReading = false;
  #mayHaveMore = true;
  #lastEventMs: number | undefined;

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
    this.#position = parts.cursor;
  }

  /** When the newest event came that was read. */
  get lastEventMs(): number | undefined {
    return this.#lastEventMs;
  }

  /** Whether it has something to do. */
  get canRead(): boolean {
    return this.#mayHaveMore && !this.#isReading && this.#parts.backlog.hasRoom;
  }

  /** Something was appended. */
  notice(): void {
    this.#mayHaveMore = true;
  }

  /** How many records there are at most that were not read. */
  async unread(): Promise<number> {
    const { first, last, records } = await this.#parts.stream.size();
    return Math.min(records, last - Math.max(this.#position, first - 1));
  }

  /** Reads a few more. */
  async read(): Promise<void> {
    const { stream, limits } = this.#parts;
    const { readRecords: limit, readBytes: maxBytes } = limits;
    this.#isReading = true;
    // Before it reads: what is appended meanwhile says so again.
    this.#mayHaveMore = false;
    try {
      const records = await stream.read(this.#position + 1, { limit, maxBytes });
      if (records.length > 0) this.#mayHaveMore = true;
      for (const record of records) {
        this.#position = record.sequence;
        this.#lastEventMs = record.timeMs;
        this.#place(record);
      }
    } finally {
      this.#isReading = false;
    }
  }

  #place(record: LogRecord): void {
    const { backlog, wants, keyOf, limits } = this.#parts;
    if (wants === undefined && keyOf === undefined) {
      backlog.add(record, undefined);
      return;
    }
    const event = readEvent(record);
    if (event.kind !== 'event') {
      backlog.add(event, undefined);
      return;
    }
    if (wants?.(event.event) === false) {
      backlog.skip(event.sequence);
      return;
    }
    const key = keyOf?.(event.event);
    backlog.add(event, key === undefined ? undefined : laneKey(key, limits.keyCharactersMax));
  }
}
