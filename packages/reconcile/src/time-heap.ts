/** Something that becomes due; `heapIndex` is the heap's own note of where it stands. */
export interface HeapItem {
  readonly dueMs: number;
  readonly order: number;
  heapIndex: number;
}

/**
 * A binary heap, earliest first, that gives up any item in logarithmic time: nothing cancelled
 * stays behind, however far away its time was.
 */
export class TimeHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#place(item, this.#items.length);
    this.#rise(item);
  }

  remove(item: Item): void {
    const index = item.heapIndex;
    const last = this.#items.pop();
    item.heapIndex = -1;
    if (last === undefined || last === item) return;
    this.#place(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  #place(item: Item, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }

  #rise(item: Item): void {
    while (item.heapIndex > 0) {
      const index = item.heapIndex;
      const parent = this.#items[(index - 1) >> 1];
      if (parent === undefined || !isBefore(item, parent)) return;
      this.#place(item, parent.heapIndex);
      this.#place(parent, index);
    }
  }

  #sink(item: Item): void {
    while (true) {
      const index = item.heapIndex;
      const left = this.#items[2 * index + 1];
      const right = this.#items[2 * index + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, item)) return;
      this.#place(item, child.heapIndex);
      this.#place(child, index);
    }
  }
}

function isBefore(a: HeapItem, b: HeapItem): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
