/**
 * Rows in the order of their keys, which are texts of single octets: those are in the order of
 * their bytes. Keys that come in their order cost nothing; others are sorted when somebody asks for
 * a range. A removed key stays among the sorted ones until half of them are such, so that dropping
 * the oldest rows of many costs no move of all others.
 */
export class SortedRows<Value> {
  readonly #values = new Map<string, Value>();
  /** Each key once or more often, in their order but for the last ones. */
  #keys: string[] = [];
  #isSorted = true;

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  put(key: string, value: Value): void {
    if (!this.#values.has(key)) {
      this.#isSorted &&= this.#keys.length === 0 || (this.#keys.at(-1) ?? '') < key;
      this.#keys.push(key);
    }
    this.#values.set(key, value);
  }

  remove(key: string): void {
    if (!this.#values.delete(key) || this.#keys.length < 2 * this.#values.size + 16) return;
    this.#keys = this.#keys.filter((other) => this.#values.has(other));
  }

  /** Those from one key on, up to another, which is not included. */
  *range(from: string, until: string): Generator<SortedRow<Value>, void, undefined> {
    const keys = this.keys();
    for (let i = placeOf(keys, from); i < keys.length; i++) {
      const key = keys[i] ?? until;
      if (key >= until) return;
      const value = this.#values.get(key);
      if (value !== undefined) yield { key, value };
    }
  }

  /** All keys, in their order; some of them may be removed. */
  keys(): readonly string[] {
    if (this.#isSorted) return this.#keys;
    // A key that was removed and came again is there twice.
    this.#keys = this.#keys.sort(byOctets).filter((key, i, all) => key !== all[i - 1]);
    this.#isSorted = true;
    return this.#keys;
  }
}

function byOctets(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The place of the first key that is not less than this one. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface SortedRow<Value> {
  readonly key: string;
  readonly value: Value;
}
