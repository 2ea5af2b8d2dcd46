/**
 * The live keys of a store in order, each with the revision of its object. About 150 bytes a key;
 * the objects themselves stay in the ledger.
 *
 * An insertion moves the keys behind it (a memmove of 8 bytes a key: 4 µs among 10 000 keys, 40 µs
 * among 100 000), which is far below the cost of the flush that precedes it.
 */
export class KeyIndex {
  readonly #revisions: Map<string, number>;
  readonly #sorted: string[];

  constructor(entries: Iterable<readonly [key: string, revision: number]>) {
    this.#revisions = new Map(entries);
    this.#sorted = [...this.#revisions.keys()].sort();
  }

  /** The revision of the object under `key`; 0 when there is none. */
  revisionOf(key: string): number {
    return this.#revisions.get(key) ?? 0;
  }

  /** A copy of the keys with their revisions. */
  entries(): readonly (readonly [key: string, revision: number])[] {
    return [...this.#revisions];
  }

  set(key: string, revision: number): void {
    if (!this.#revisions.has(key)) {
      const position = this.#lowerBound((other) => other >= key);
      this.#sorted.splice(position, 0, key);
    }
    this.#revisions.set(key, revision);
  }

  delete(key: string): void {
    if (!this.#revisions.delete(key)) return;
    this.#sorted.splice(
      this.#lowerBound((other) => other >= key),
      1,
    );
  }

  count(prefix: string): number {
    return this.#end(prefix) - this.#start(prefix, undefined);
  }

  /** At most `limit` keys under `prefix` that are greater than `after`, and how many follow. */
  page(
    prefix: string,
    after: string | undefined,
    limit: number,
  ): { keys: readonly string[]; remaining: number } {
    const end = this.#end(prefix);
    const start = Math.min(this.#start(prefix, after), end);
    const stop = Math.min(end, start + limit);
    return { keys: this.#sorted.slice(start, stop), remaining: end - stop };
  }

  #start(prefix: string, after: string | undefined): number {
    if (after === undefined || after < prefix) return this.#lowerBound((key) => key >= prefix);
    return this.#lowerBound((key) => key > after);
  }

  #end(prefix: string): number {
    return this.#lowerBound((key) => key > prefix && !key.startsWith(prefix));
  }

  /** The first position whose key satisfies `isAtOrAfter`, which must be monotone in key order. */
  #lowerBound(isAtOrAfter: (key: string) => boolean): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const key = this.#sorted[middle];
      if (key !== undefined && isAtOrAfter(key)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
