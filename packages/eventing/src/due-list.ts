/**
 * What is to be done at a time, in order of the times. What is no longer to be done may stay until
 * its time comes; whoever takes it looks whether it is still wanted.
 */
export class DueList<Item> {
  /** The next one stands last: taking it moves nothing. */
  readonly #entries: { readonly dueMs: number; readonly item: Item }[] = [];

  /** When the next one is due. */
  get nextMs(): number | undefined {
    return this.#entries.at(-1)?.dueMs;
  }

  add(item: Item, dueMs: number): void {
    this.#entries.splice(this.#placeOf(dueMs), 0, { dueMs, item });
  }

  /** Takes out what was added with this time, if it is still there. */
  remove(item: Item, dueMs: number): void {
    let place = this.#placeOf(dueMs);
    while (this.#entries[place]?.dueMs === dueMs && this.#entries[place]?.item !== item) place++;
    if (this.#entries[place]?.dueMs === dueMs) this.#entries.splice(place, 1);
  }

  /** Takes all that are due. */
  take(nowMs: number): readonly Item[] {
    const items: Item[] = [];
    for (let next = this.#entries.at(-1); next !== undefined && next.dueMs <= nowMs; ) {
      items.push(next.item);
      this.#entries.pop();
      next = this.#entries.at(-1);
    }
    return items;
  }

  /** Before all that are due at the same time: those are taken first. */
  #placeOf(dueMs: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.dueMs > dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
