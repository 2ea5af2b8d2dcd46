import type { Changed } from './overlay.ts';
import type { SortedRow } from './sorted-rows.ts';
import type { TableRow } from './tables.ts';

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
