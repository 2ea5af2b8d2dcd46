/**
 * Writes lines to a stream that may be slow, and holds up nobody for that.
 *
 * I1. At most `waitingBytesMax` characters wait, here and in the stream; further lines are dropped
 *     and counted.
 * I2. How many are missing stands in a line of its own, where they are missing.
 */
import type { Writable } from 'node:stream';
import { type Flushable, Outbox } from '../fronts/outbox.ts';

/** Where lines go. */
export interface LineWriter {
  /** Takes a line, without its end. */
  write(line: string): void;
}

export interface LineSinkOptions {
  readonly stream: Writable;
  /** Runs a callback at the end of the turn: `setImmediate`. */
  readonly defer: (callback: () => void) => void;
  /** The line that says how many are missing. */
  readonly gap: (count: number) => string;
  /** Lines of some thousand calls; one that needs longer to write is not only slow. */
  readonly waitingBytesMax?: number;
}

export class LineSink implements LineWriter, Flushable {
  readonly #options: LineSinkOptions;
  readonly #waitingBytesMax: number;
  readonly #outbox: Outbox;
  #waiting = '';
  #dropped = 0;

  constructor(options: LineSinkOptions) {
    this.#options = options;
    this.#waitingBytesMax = options.waitingBytesMax ?? 1_048_576;
    this.#outbox = new Outbox(options.defer);
  }

  write(line: string): void {
    const { stream, gap } = this.#options;
    const waitingBytes = stream.writableLength + this.#waiting.length;
    if (stream.destroyed || waitingBytes + line.length > this.#waitingBytesMax) {
      this.#dropped++;
      return;
    }
    if (this.#waiting === '') this.#outbox.add(this);
    if (this.#dropped > 0) this.#waiting += `${gap(this.#dropped)}\n`;
    this.#dropped = 0;
    this.#waiting += `${line}\n`;
  }

  flush(): void {
    const lines = this.#waiting;
    this.#waiting = '';
    if (lines !== '' && !this.#options.stream.destroyed) this.#options.stream.write(lines);
  }
}
