/**
 * Bounds how many Runners start at the same time. Each start keeps a processor busy, so more of
 * them at once only makes every one of them late.
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

  /** Whether there was a free slot; it is taken now. */
  take(): boolean {
    if (this.#taken >= this.#max) return false;
    this.#taken++;
    return true;
  }

  release(): void {
    this.#taken--;
    this.#onFree();
  }
}
