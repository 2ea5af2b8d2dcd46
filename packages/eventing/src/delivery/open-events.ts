/**
 * The events of a stream that were read and are not settled, in order, with the keys of their
 * lanes: sixteen bytes each. What is settled before others goes as soon as it is half of all.
 */
export class OpenEvents {
  #sequences: number[] = [];
  #keys: (string | undefined)[] = [];
  #head = 0;
  /** Those among them that are settled. */
  readonly #settled = new Set<number>();

  get size(): number {
    return this.#sequences.length - this.#head - this.#settled.size;
  }

  get first(): number | undefined {
    return this.#sequences[this.#head];
  }

  /** @param sequence greater than all before */
  add(sequence: number, key: string | undefined): void {
    this.#sequences.push(sequence);
    this.#keys.push(key);
  }

  settle(sequence: number): void {
    this.#settled.add(sequence);
    for (let first = this.first; first !== undefined; first = this.first) {
      if (!this.#settled.delete(first)) break;
      this.#head++;
    }
    const kept = this.#sequences.length - this.#head;
    if (this.#head > 1_024 + kept || this.#settled.size > 1_024 + kept / 2) this.#compact();
  }

  /** Those after one sequence, up to another. */
  *between(after: number, last: number): Generator<OpenEvent, void, undefined> {
    for (let place = this.#placeAfter(after); ; place++) {
      const sequence = this.#sequences[place];
      if (sequence === undefined || sequence > last) return;
      if (!this.#settled.has(sequence)) yield { sequence, key: this.#keys[place] };
    }
  }

  #placeAfter(after: number): number {
    let low = this.#head;
    let high = this.#sequences.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sequences[middle] ?? 0) <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compact(): void {
    const sequences: number[] = [];
    const keys: (string | undefined)[] = [];
    for (const { sequence, key } of this.between(0, Number.POSITIVE_INFINITY)) {
      sequences.push(sequence);
      keys.push(key);
    }
    this.#sequences = sequences;
    this.#keys = keys;
    this.#head = 0;
    this.#settled.clear();
  }
}

export interface OpenEvent {
  readonly sequence: number;
  readonly key: string | undefined;
}
