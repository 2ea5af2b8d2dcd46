import { SortedRows } from './sorted-rows.ts';
import {
  type LogTables,
  type RowKey,
  type TableName,
  type TableRange,
  type TableRow,
  type TableWrite,
  tableNames,
} from './tables.ts';

/** Tables that live and die with the process. */
export class MemoryTables implements LogTables {
  readonly durability = 'none';
  readonly isFull: boolean = false;
  readonly #tables = new Map<TableName, SortedRows<Uint8Array>>(
    tableNames.map((name) => [name, new SortedRows()]),
  );

  ready(): undefined {
    return undefined;
  }

  get(table: TableName, key: RowKey): Uint8Array | undefined {
    return this.#tables.get(table)?.get(key);
  }

  *range(
    table: TableName,
    { from, until, limit }: TableRange,
  ): Generator<TableRow, void, undefined> {
    let left = limit;
    if (left <= 0) return;
    const rows = this.#tables.get(table)?.range(from, until) ?? [];
    for (const row of rows) {
      yield row;
      if (--left <= 0) return;
    }
  }

  async commit(writes: readonly TableWrite[]): Promise<void> {
    for (const { table, key, value } of writes) {
      if (value === undefined) this.#tables.get(table)?.remove(key);
      // A copy: the bytes belong to whoever appended them.
      else this.#tables.get(table)?.put(key, Uint8Array.from(value));
    }
  }

  async close(): Promise<void> {
    this.#tables.clear();
  }
}
