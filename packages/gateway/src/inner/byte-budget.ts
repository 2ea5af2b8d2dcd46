/** Bytes that many may hold together. */
export class ByteBudget {
  #left: number;

  constructor(bytesMax: number) {
    this.#left = bytesMax;
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
