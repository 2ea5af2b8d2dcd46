import type { Clock, LoadMeter } from '@fnlet/base';
import { restMsMax, restMsPerWake, wakesPerTurnMax } from '../limits.ts';

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
 * I2. With a clock it rests after it woke many, for a few milliseconds, and wakes all that asked
 *     meanwhile together. Watches share connections: what leaves together shares TLS records and
 *     system calls. After one or two it does not rest.
 */
export class FanOut {
  readonly #clock: Clock | undefined;
  readonly #load: Pick<LoadMeter, 'note'> | undefined;
  #waiting: Reader[] = [];
  #woken = 0;
  #restsUntilMs = 0;

  /**
   * @param clock for readers that send what they have to clients; without it there is no rest
   * @param load is told of each that is woken
   */
  constructor(clock?: Clock, load?: Pick<LoadMeter, 'note'>) {
    this.#clock = clock;
    this.#load = load;
  }

  /** The reader must not ask again before it is woken. */
  add(reader: Reader): void {
    this.#waiting.push(reader);
    if (this.#waiting.length > 1) return;
    const restMs = this.#restsUntilMs - (this.#clock?.monotonicMs() ?? 0);
    // Node's timers know whole milliseconds.
    if (this.#clock === undefined || restMs < 1) setImmediate(this.#turn);
    else this.#clock.after(restMs, this.#turn);
  }

  readonly #turn = (): void => {
    const end = Math.min(this.#woken + wakesPerTurnMax, this.#waiting.length);
    while (this.#woken < end) this.#waiting[this.#woken++]?.wake();
    if (this.#woken < this.#waiting.length) {
      setImmediate(this.#turn);
      return;
    }
    this.#load?.note(this.#woken);
    if (this.#clock !== undefined) {
      const restMs = Math.min(this.#woken * restMsPerWake, restMsMax);
      this.#restsUntilMs = this.#clock.monotonicMs() + restMs;
    }
    this.#waiting = [];
    this.#woken = 0;
  };
}
