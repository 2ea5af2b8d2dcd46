import { jsonEqual } from '@fnlet/base';

/**
 * Who of those that change objects is asked once more, as others changed the object after them
 * (KEP-492 and KEP-3962, reinvocationPolicy). One of these is about one request.
 *
 * I1. There are two rounds at most; in the second one nobody is asked who was not in the first.
 * I2. Only whoever wants to is asked again, and only when the object has changed since.
 */
export class Reinvocation<Key> {
  readonly #again = new Set<Key>();
  #asked = new Set<Key>();
  #isSecond = false;
  #isWanted = false;
  #last: unknown;

  /** Whether there is a reason for a second round. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Begins the first round, or the second one. */
  begin(object: unknown, round: MutationRound): void {
    this.#isSecond = round === 'second';
    // Whoever is asked between may have changed it.
    if (this.#isSecond && !jsonEqual(this.#last, object)) this.#renew();
  }

  /** Whether this one is to be asked in this round. */
  isDue(key: Key): boolean {
    return !this.#isSecond || this.#again.has(key);
  }

  /** The object was changed: those that were asked before are to see it. */
  changed(): void {
    this.#isWanted = true;
    this.#renew();
  }

  /** One that wants to know of later changes was asked. */
  asked(key: Key): void {
    this.#asked.add(key);
  }

  end(object: unknown): void {
    this.#last = object;
  }

  #renew(): void {
    for (const key of this.#asked) this.#again.add(key);
    this.#asked = new Set();
  }
}

/** Everybody is asked in the first round; in the second one those who want to be asked again. */
export type MutationRound = 'first' | 'second';
