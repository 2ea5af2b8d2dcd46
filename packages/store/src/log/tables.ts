/**
 * What the streams of a log are kept in. The key of every row, but those of `streams`, starts with
 * the number of its stream.
 *
 * - `streams`: name -> head
 * - `records`: sequence -> record
 * - `keys`: digest of a key -> sequence of its newest record, in streams that keep only that
 * - `ids`: digest of an id -> when it was appended
 * - `idBatches`: sequence -> the digests of ids that were appended together, to forget them
 * - `consumers`: name -> number and cursor
 * - `outstanding`: number of the consumer, sequence -> state
 * - `removed`: empty; the rows of this stream are being dropped
 * - `journal`: number of a commit, of a chunk -> what it writes to the other tables, which do not
 *   have it yet
 */
export const tableNames = [
  'streams',
  'records',
  'keys',
  'ids',
  'idBatches',
  'consumers',
  'outstanding',
  'removed',
  'journal',
] as const;

export type TableName = (typeof tableNames)[number];

/**
 * The key of a row, a text with one character for each of its octets: texts are compared, looked up
 * and kept for less than bytes are, which only what is written or read below needs.
 */
export type RowKey = string;

export interface TableRow {
  readonly key: RowKey;
  readonly value: Uint8Array;
}

export interface TableWrite {
  readonly table: TableName;
  readonly key: RowKey;
  /** `undefined` removes the row. */
  readonly value: Uint8Array | undefined;
}

export interface TableRange {
  readonly from: RowKey;
  /** Not included. */
  readonly until: RowKey;
  readonly limit: number;
}

/**
 * Tables of bytes in the order of their keys: the port between a log and what keeps it. Only what
 * is committed, and durable, is read.
 */
export interface LogTables {
  readonly durability: 'none' | 'flushed';
  /** Whether there was no room for records, and none was made since. */
  readonly isFull: boolean;
  /**
   * Asked before anything is read: what to wait for until the tables can be, if anything. They can
   * until the turn of the loop ends.
   */
  ready(): Promise<void> | undefined;
  get(table: TableName, key: RowKey): Uint8Array | undefined;
  /** Rows as they are read are not reused; they may be kept. */
  range(table: TableName, range: TableRange): Iterable<TableRow>;
  /**
   * All of it, in its order, or nothing.
   *
   * @throws LogError `Full` when nothing was written, `Broken` when that is not known
   */
  commit(writes: readonly TableWrite[]): Promise<void>;
  close(): Promise<void>;
}
