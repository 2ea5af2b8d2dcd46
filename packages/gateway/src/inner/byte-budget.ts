/** Bytes that many may hold together. */
export class ByteBudget {
  readonly #bytesMax: number;
  #left: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  /** What is held now. */
  get bytes(): number {
    return this.#bytesMax - this.#left;
  }

  /** Whether there was room; otherwise nothing was taken. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}
