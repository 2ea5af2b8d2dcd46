/**
 * What is to be done at a time, in order of the times. What is no longer to be done stays until its
 * time comes; whoever takes it looks whether it is still wanted.
 */
export class DueList {
  /** The next one stands last: taking it moves nothing. */
  readonly #entries: { readonly dueMs: number; readonly id: string }[] = [];

  /** When the next one is due. */
  get nextMs(): number | undefined {
    return this.#entries.at(-1)?.dueMs;
  }

  add(id: string, dueMs: number): void {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.dueMs > dueMs) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, { dueMs, id });
  }

  /** Takes all that are due. */
  take(nowMs: number): readonly string[] {
    const ids: string[] = [];
    for (let next = this.#entries.at(-1); next !== undefined && next.dueMs <= nowMs; ) {
      ids.push(next.id);
      this.#entries.pop();
      next = this.#entries.at(-1);
    }
    return ids;
  }
}
