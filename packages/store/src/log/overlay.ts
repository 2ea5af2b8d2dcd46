import { type SortedRow, SortedRows } from './sorted-rows.ts';
import { streamOf } from './table-keys.ts';
import {
  type RowKey,
  type TableName,
  type TableRange,
  type TableWrite,
  tableNames,
} from './tables.ts';

/** A value, or that the row is removed. */
export type Changed = Uint8Array | 'removed';

export interface JournalEntry {
  readonly number: number;
  readonly chunks: number;
}

// By the number of the stream: rows are added at the end of their stream, in most tables.
type Partitions = Map<number, SortedRows<Changed>>;

const numberCharacters = 4;

/** What was written to tables that do not have it yet; the newest of each row. */
export class Overlay {
  readonly #tables = new Map<TableName, Partitions>(tableNames.map((name) => [name, new Map()]));
  readonly #entries: JournalEntry[] = [];
  #bytes = 0;

  /** Of all entries, whether their rows were written again since or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Where the journal keeps it. */
  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** It has the rows of this entry of the journal. */
  note(entry: JournalEntry, bytes: number): void {
    this.#entries.push(entry);
    this.#bytes += bytes;
  }

  /** @param forgets whether a removed row was in no table before it was written here */
  write({ table, key, value }: TableWrite, forgets: boolean): void {
    const rows = this.#rows(table, key);
    if (value === undefined && forgets && rows.get(key) instanceof Uint8Array) rows.remove(key);
    else rows.put(key, value ?? 'removed');
  }

  #rows(table: TableName, key: RowKey): SortedRows<Changed> {
    const partitions = this.#partitions(table);
    const number = streamOf(key);
    let rows = partitions.get(number);
    if (rows === undefined) {
      rows = new SortedRows();
      partitions.set(number, rows);
    }
    return rows;
  }

  get(table: TableName, key: RowKey): Changed | undefined {
    return this.#partitions(table).get(streamOf(key))?.get(key);
  }

  /** `undefined` when there is nothing. */
  range(
    table: TableName,
    range: Pick<TableRange, 'from' | 'until'>,
  ): Iterable<SortedRow<Changed>> | undefined {
    const partitions = this.#partitions(table);
    if (partitions.size === 0) return undefined;
    const { from, until } = range;
    if (isOneStream(range)) {
      return partitions.get(streamOf(from))?.range(from, until);
    }
    return rowsOf(partitions, from, until);
  }

  /** All of it, in the order of the tables and their keys. */
  *all(): Generator<TableWrite, void, undefined> {
    for (const [table, partitions] of this.#tables) {
      for (const rows of inOrder(partitions)) {
        for (const key of rows.keys()) {
          const value = rows.get(key);
          if (value !== undefined)
            yield { table, key, value: value === 'removed' ? undefined : value };
        }
      }
    }
  }

  #partitions(table: TableName): Partitions {
    return this.#tables.get(table) ?? new Map();
  }
}

function* rowsOf(
  partitions: Partitions,
  from: string,
  until: string,
): Generator<SortedRow<Changed>, void, undefined> {
  for (const rows of inOrder(partitions)) yield* rows.range(from, until);
}

/** Keys with a number that is less are less. */
function inOrder(partitions: Partitions): readonly SortedRows<Changed>[] {
  return [...partitions].sort(([one], [other]) => one - other).map(([, rows]) => rows);
}

/** Whether all keys in a range have the same number. */
function isOneStream({ from, until }: Pick<TableRange, 'from' | 'until'>): boolean {
  if (from.length < numberCharacters || until.length < numberCharacters) return false;
  const first = streamOf(from);
  const end = streamOf(until);
  return first === end || (until.length === numberCharacters && end === first + 1);
}
