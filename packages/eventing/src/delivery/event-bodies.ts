import { errorMessage } from '@fnlet/base';
import type { LogRecord, LogStream } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';
import { unpackEvent } from '../event/packed-event.ts';

/** What is at a place of a stream. */
export type ReadEvent =
  | {
      readonly kind: 'event';
      readonly sequence: number;
      /** When it was accepted. */
      readonly timeMs: number;
      readonly event: CloudEvent;
    }
  | {
      readonly kind: 'unreadable';
      readonly sequence: number;
      readonly timeMs: number;
      readonly payload: Uint8Array;
      readonly trouble: string;
    }
  /** The stream let it go before it was settled. */
  | { readonly kind: 'gone'; readonly sequence: number };

export function readEvent({ sequence, timeMs, payload }: LogRecord): ReadEvent {
  try {
    return { kind: 'event', sequence, timeMs, event: unpackEvent(payload) };
  } catch (error) {
    return { kind: 'unreadable', sequence, timeMs, payload, trouble: errorMessage(error) };
  }
}

/** The events that are delivered soon, in memory; all others are read again when it is their turn. */
export class EventBodies {
  readonly #stream: LogStream;
  /** As they were read, or as bytes, which are less. */
  readonly #kept = new Map<number, ReadEvent | LogRecord>();

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  get size(): number {
    return this.#kept.size;
  }

  keep(event: ReadEvent | LogRecord): void {
    this.#kept.set(event.sequence, event);
  }

  drop(sequence: number): void {
    this.#kept.delete(sequence);
  }

  /** Takes it out, if it is in memory and can be read. */
  takeKept(sequence: number): CloudEvent | undefined {
    const kept = this.#kept.get(sequence);
    const read = kept === undefined || 'kind' in kept ? kept : readEvent(kept);
    if (read?.kind !== 'event') return undefined;
    this.#kept.delete(sequence);
    return read.event;
  }

  /** Takes it out, or reads it. */
  async take(sequence: number): Promise<ReadEvent> {
    const kept = this.#kept.get(sequence);
    if (kept !== undefined) {
      this.#kept.delete(sequence);
      return 'kind' in kept ? kept : readEvent(kept);
    }
    const [record] = await this.#stream.read(sequence, { limit: 1 });
    return record?.sequence === sequence ? readEvent(record) : { kind: 'gone', sequence };
  }
}
