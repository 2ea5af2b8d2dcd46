/** Something that holds what it was asked to write. */
export interface Flushable {
  flush(): void;
}

/**
 * Lets writes wait for the end of the turn of the event loop in which they were made.
 *
 * One turn reads what came on many connections. Were each answer written as soon as it is known,
 * the write would wake its client for this one answer, and the next write another or the same one
 * again: such wakings cost more than the writes. Written one right after the other, answers find
 * their readers awake. Nothing waits longer than for the reading that was due anyway. Requests do
 * not wait: an Instance works on the first of them while the next is read.
 */
export class Outbox {
  readonly #defer: (callback: () => void) => void;
  #waiting: Flushable[] = [];

  /** `defer` runs a callback at the end of the turn: `setImmediate`. */
  constructor(defer: (callback: () => void) => void) {
    this.#defer = defer;
  }

  /** Flushes `writer` at the end of this turn. */
  add(writer: Flushable): void {
    if (this.#waiting.length === 0) this.#defer(() => this.#flush());
    this.#waiting.push(writer);
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const writer of waiting) writer.flush();
  }
}
