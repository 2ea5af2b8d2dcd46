/** How many answers are compressed at once: each encoder holds up to a megabyte. */
export class CompressionSlots {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether one more may be compressed; whoever got a slot gives it back. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  give(): void {
    this.#free++;
  }
}
