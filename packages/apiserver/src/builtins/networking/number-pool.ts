import type { Random } from '@fnlet/base';
import { promisedNumbersMax } from '../../limits.ts';

/**
 * Which numbers of a range are free: those that no Service has, and that were not just given to one
 * whose write is under way.
 *
 * I1. `add` and `remove` come in pairs; a number is taken while somebody has it.
 * I2. A promise is forgotten when its number is written, when too many are newer, and when nothing
 *     else is free: what was promised to a write that failed is not lost.
 */
export class NumberPool<T> {
  readonly #size: number;
  readonly #draw: (random: Random) => T;
  readonly #users = new Map<T, number>();
  readonly #promised = new Set<T>();

  /** So many numbers, all of which `draw` draws with the same chance. */
  constructor(size: number, draw: (random: Random) => T) {
    this.#size = size;
    this.#draw = draw;
  }

  add(number: T): void {
    this.#users.set(number, (this.#users.get(number) ?? 0) + 1);
    this.#promised.delete(number);
  }

  remove(number: T): void {
    const users = (this.#users.get(number) ?? 0) - 1;
    if (users > 0) this.#users.set(number, users);
    else this.#users.delete(number);
  }

  has(number: T): boolean {
    return this.#users.has(number);
  }

  /** A free number, but none of `besides`; undefined when there is none. */
  take(random: Random, besides: ReadonlySet<T> = new Set()): T | undefined {
    let taken = this.#users.size;
    for (const number of besides) if (!this.#users.has(number)) taken += 1;
    if (taken >= this.#size) return undefined;
    if (taken + this.#promised.size >= this.#size) this.#promised.clear();
    for (;;) {
      const number = this.#draw(random);
      if (this.#users.has(number) || this.#promised.has(number) || besides.has(number)) continue;
      this.#promise(number);
      return number;
    }
  }

  #promise(number: T): void {
    this.#promised.add(number);
    if (this.#promised.size <= promisedNumbersMax) return;
    for (const oldest of this.#promised) return void this.#promised.delete(oldest);
  }
}
