import type { Changed } from './overlay.ts';
import type { SortedRow } from './sorted-rows.ts';
import { keyAfter } from './table-keys.ts';
import type { RowKey, TableRange, TableRow } from './tables.ts';

type Rows = Iterable<SortedRow<Changed>>;

/** Rows in the order of their keys; where both have a key, the newer one. */
export function mergeRows(newer: Rows | undefined, older: Rows): Rows {
  return newer === undefined ? older : merge(newer, older);
}

function* merge(newer: Rows, older: Rows): Generator<SortedRow<Changed>, void, undefined> {
  const others = older[Symbol.iterator]();
  try {
    let other = others.next();
    for (const row of newer) {
      while (other.done !== true && other.value.key < row.key) {
        yield other.value;
        other = others.next();
      }
      if (other.done !== true && other.value.key === row.key) other = others.next();
      yield row;
    }
    for (; other.done !== true; other = others.next()) yield other.value;
  } finally {
    others.return?.();
  }
}

/**
 * As {@link mergeRows}, of records: where those that are newer follow each other there is none
 * between them, and what is older is not even looked at before it is needed. Who reads what was
 * just appended needs nothing of it.
 */
export function* mergeRecords(
  newer: Rows,
  olderFrom: (from: RowKey) => Rows,
  { from, until }: Pick<TableRange, 'from' | 'until'>,
): Generator<SortedRow<Changed>, void, undefined> {
  const rows = newer[Symbol.iterator]();
  let next = from;
  let row = rows.next();
  for (; row.done !== true && row.value.key === next; row = rows.next()) {
    next = keyAfter(next);
    yield row.value;
  }
  if (next < until) yield* mergeRows(goOn(row, rows), olderFrom(next));
}

/** What an iterator gave last, and the rest of it. */
function* goOn<Row>(
  last: IteratorResult<Row, unknown>,
  rows: Iterator<Row>,
): Generator<Row, void, undefined> {
  for (let row = last; row.done !== true; row = rows.next()) yield row.value;
}

/** The first of those that are not removed. */
export function* presentRows(rows: Rows, limit: number): Generator<TableRow, void, undefined> {
  let left = limit;
  if (left <= 0) return;
  for (const { key, value } of rows) {
    if (value === 'removed') continue;
    yield { key, value };
    if (--left <= 0) return;
  }
}
