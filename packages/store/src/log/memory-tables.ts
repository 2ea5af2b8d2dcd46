import type { TableRow, TableWrite } from './tables.ts';
import { type LogTables, type TableName, type TableRange, tableNames } from './tables.ts';

/** Tables that live and die with the process. */
export class MemoryTables implements LogTables {
  readonly durability = 'none';
  readonly isFull = false;
  readonly #tables = new Map<TableName, MemoryTable>(
    tableNames.map((name) => [name, new MemoryTable()]),
  );

  ready(): undefined {
    return undefined;
  }

  get(table: TableName, key: Uint8Array): Uint8Array | undefined {
    return this.#tables.get(table)?.get(toText(key));
  }

  range(table: TableName, { from, until, limit }: TableRange): Iterable<TableRow> {
    return this.#tables.get(table)?.range(toText(from), toText(until)).take(limit) ?? [];
  }

  async commit(writes: readonly TableWrite[]): Promise<void> {
    for (const { table, key, value } of writes) {
      if (value === undefined) this.#tables.get(table)?.remove(toText(key));
      // A copy: the bytes belong to whoever appended them.
      else this.#tables.get(table)?.put(toText(key), Uint8Array.from(value));
    }
  }

  async close(): Promise<void> {
    this.#tables.clear();
  }
}

/** Texts of single bytes are in the order of those. */
function toText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

/**
 * Rows in order of their keys. A removed key stays among the sorted ones until half of them are
 * such, so that dropping the oldest rows of many costs no move of all others.
 */
class MemoryTable {
  readonly #values = new Map<string, Uint8Array>();
  #sorted: string[] = [];

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key);
  }

  put(key: string, value: Uint8Array): void {
    if (!this.#values.has(key)) {
      const position = this.#position(key);
      if (this.#sorted[position] !== key) this.#sorted.splice(position, 0, key);
    }
    this.#values.set(key, value);
  }

  remove(key: string): void {
    if (!this.#values.delete(key) || this.#sorted.length < 2 * this.#values.size + 16) return;
    this.#sorted = this.#sorted.filter((other) => this.#values.has(other));
  }

  *range(from: string, until: string): Generator<TableRow, void, undefined> {
    for (let i = this.#position(from); i < this.#sorted.length; i++) {
      const key = this.#sorted[i] ?? until;
      if (key >= until) return;
      const value = this.#values.get(key);
      if (value !== undefined) yield { key: Buffer.from(key, 'latin1'), value };
    }
  }

  /** Of the first key that is not less than this one. */
  #position(key: string): number {
    let low = 0;
    let high = this.#sorted.length;
    if (high > 0 && (this.#sorted[high - 1] ?? '') < key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
