/** Numbers, first in, first out; eight bytes each. */
export class SequenceQueue {
  #items: number[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): number | undefined {
    return this.#items[this.#head];
  }

  push(sequence: number): void {
    this.#items.push(sequence);
  }

  /** Takes the first. */
  shift(): number | undefined {
    const first = this.first;
    if (first === undefined) return undefined;
    this.#head++;
    // Moving the rest each time would cost the square of the length.
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return first;
  }

  /** Puts these before all others, in their order. */
  unshift(sequences: readonly number[]): void {
    if (sequences.length > this.#head) {
      this.#items = [...sequences, ...this.#items.slice(this.#head)];
      this.#head = 0;
      return;
    }
    this.#head -= sequences.length;
    for (const [n, sequence] of sequences.entries()) this.#items[this.#head + n] = sequence;
  }
}
