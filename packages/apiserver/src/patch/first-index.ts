import { canonicalJson } from '@fnlet/base';

/**
 * Where a JSON value first stands in a list, found without looking through the list: patches come
 * with lists of tens of thousands of items, each of which is looked for.
 *
 * I1. Values that are equal as JSON (base, `jsonEqual`) are the same value.
 */
export class FirstIndex {
  readonly #scalars = new Map<unknown, number>();
  /** Maps and lists, by their canonical text. */
  readonly #texts = new Map<string, number>();

  constructor(values: Iterable<unknown>) {
    let index = 0;
    for (const value of values) this.add(value, index++);
  }

  /** Remembers that the value stands there, unless it is known from before. */
  add(value: unknown, index: number): void {
    if (typeof value === 'object' && value !== null) {
      const text = canonicalJson(value);
      if (!this.#texts.has(text)) this.#texts.set(text, index);
    } else if (!this.#scalars.has(value)) this.#scalars.set(value, index);
  }

  /** Where the value stands; -1 where it does not. */
  find(value: unknown): number {
    const isScalar = typeof value !== 'object' || value === null;
    return (isScalar ? this.#scalars.get(value) : this.#texts.get(canonicalJson(value))) ?? -1;
  }
}
