import { wakesPerTurnMax } from '../limits.ts';

/** Who has events to hand on. */
export interface Reader {
  /** Called once for each time that it asked to be woken; it must neither throw nor wait. */
  wake(): void;
}

/**
 * Wakes the readers of watches in the turn after the one in which their events came. So the answer
 * to a write leaves before the events that it made, and the events of all writes that were
 * committed together leave each watch in one piece.
 *
 * I1. Readers are woken in the order in which they asked, so many in a turn; others that wait for
 *     the thread get it in between.
 */
export class FanOut {
  #waiting: Reader[] = [];
  #woken = 0;

  /** The reader must not ask again before it is woken. */
  add(reader: Reader): void {
    this.#waiting.push(reader);
    if (this.#waiting.length === 1) setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const end = Math.min(this.#woken + wakesPerTurnMax, this.#waiting.length);
    while (this.#woken < end) this.#waiting[this.#woken++]?.wake();
    if (this.#woken < this.#waiting.length) {
      setImmediate(this.#turn);
      return;
    }
    this.#waiting = [];
    this.#woken = 0;
  };
}
