/**
 * Bounds how many Runners start at the same time. Each start keeps a processor busy, so more of
 * them at once only makes every one of them late. Half of the slots are for starts that somebody's
 * first Instance waits for: however far others scale out, a wake finds a free one.
 *
 * `onFree` is called after each release, when another start may go ahead.
 */
export class StartSlots {
  readonly #max: number;
  readonly #onFree: () => void;
  #taken = 0;

  constructor(max: number, onFree: () => void) {
    this.#max = max;
    this.#onFree = onFree;
  }

  /** Whether there was a free slot; it is taken now. `isUrgent`: a first Instance waits for it. */
  take(isUrgent: boolean): boolean {
    const max = isUrgent ? this.#max : Math.max(1, Math.floor(this.#max / 2));
    if (this.#taken >= max) return false;
    this.#taken++;
    return true;
  }

  release(): void {
    this.#taken--;
    this.#onFree();
  }
}
