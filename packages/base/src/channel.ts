/**
 * A bounded queue between one or more producers and one consumer.
 *
 * I1. At most `capacity` items wait; `push` on a full channel takes nothing and returns false, so
 *     the producer decides what a slow consumer costs.
 * I2. Items come out in the order they went in; after `close` the rest is still delivered.
 * I3. After `fail` the waiting items are dropped and the consumer gets the error.
 */
export class BoundedChannel<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  #items: T[] = [];
  #ended = false;
  #error: unknown;
  #wake: (() => void) | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the item was taken: false when the channel is full or has ended. */
  push(item: T): boolean {
    if (this.#ended || this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    this.#signal();
    return true;
  }

  /** No more items will come. */
  close(): void {
    this.#ended = true;
    this.#signal();
  }

  /** Ends the channel with an error. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#items = [];
    this.#error = error;
    this.close();
  }

  #signal(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Everything that waits at once, whenever something does; for a consumer that can join items. */
  async *batches(): AsyncGenerator<readonly T[], void, undefined> {
    try {
      while (true) {
        const batch = this.#items;
        if (batch.length > 0) {
          this.#items = [];
          yield batch;
          continue;
        }
        if (this.#error !== undefined) throw this.#error;
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#ended = true;
      this.#items = [];
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const batch of this.batches()) yield* batch;
  }
}
