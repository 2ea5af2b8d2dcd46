/**
 * How many events all Triggers together may have read and not settled: what waits behind events
 * that fail is numbers in memory, however many Triggers have such.
 *
 * I1. Whoever has less than `shareMin` may read on: nobody is kept back by what others have.
 */
export class OpenQuota {
  readonly #max: number;
  readonly #shareMin: number;
  #open = 0;

  constructor({ max, shareMin }: { readonly max: number; readonly shareMin: number }) {
    this.#max = max;
    this.#shareMin = shareMin;
  }

  /** How many there are, as of when each of them was asked for last. */
  get open(): number {
    return this.#open;
  }

  share(): OpenShare {
    let known = 0;
    const note = (count: number): void => {
      this.#open += count - known;
      known = count;
    };
    return {
      mayGrow: (count) => {
        note(count);
        return count < this.#shareMin || this.#open < this.#max;
      },
      close: () => note(0),
    };
  }
}

/** The part of one Trigger. */
export interface OpenShare {
  /** Whether it may read more, now that it has so many. */
  mayGrow(count: number): boolean;
  close(): void;
}
