import { encodeTime } from './id-batch.ts';
import { LogError } from './log-error.ts';
import { encodeHead, type StreamHead } from './stream-head.ts';
import { sequenceKey, textKey } from './table-keys.ts';
import type { LogTables, RowKey, TableName, TableRange, TableRow, TableWrite } from './tables.ts';

/**
 * What one flush will write, and how the tables look to those who come later in the same flush.
 *
 * I1. An operation that throws has staged nothing: it looks first, then writes.
 * I2. `get` sees what is staged; `range` only what is committed.
 */
export class Staging {
  readonly nowMs: number;
  readonly #tables: LogTables;
  readonly #committed: ReadonlyMap<string, StreamHead>;
  readonly #writes: TableWrite[] = [];
  /** By table and key. */
  readonly #staged = new Map<TableName, Map<RowKey, Uint8Array | undefined>>();
  readonly #heads = new Map<string, StreamHead | undefined>();
  readonly #appended = new Set<string>();
  #encodedNow: Buffer | undefined;

  constructor(tables: LogTables, heads: ReadonlyMap<string, StreamHead>, nowMs: number) {
    this.#tables = tables;
    this.#committed = heads;
    this.nowMs = nowMs;
  }

  /** The time as rows hold it; the same bytes for all rows. */
  get encodedNow(): Buffer {
    this.#encodedNow ??= encodeTime(this.nowMs);
    return this.#encodedNow;
  }

  /** Streams whose head changes; `undefined` for those that are removed. */
  get heads(): ReadonlyMap<string, StreamHead | undefined> {
    return this.#heads;
  }

  /** Names of the streams that get records. */
  get appended(): ReadonlySet<string> {
    return this.#appended;
  }

  /** @throws LogError `Full` */
  assertRoom(): void {
    if (!this.#tables.isFull) return;
    throw new LogError(
      'Full',
      'Cannot append to the log: the disk is full, expected room that was made by dropping records',
      { retry: 'later', remedy: 'Make room on the disk that holds the data directory' },
    );
  }

  find(name: string): StreamHead | undefined {
    return this.#heads.has(name) ? this.#heads.get(name) : this.#committed.get(name);
  }

  /** @throws LogError `Gone` */
  head({ name, number }: Pick<StreamHead, 'name' | 'number'>): StreamHead {
    const head = this.find(name);
    if (head?.number === number) return head;
    throw goneError(name);
  }

  setHead(head: StreamHead): void {
    this.#heads.set(head.name, head);
  }

  removeHead(name: string): void {
    this.#heads.set(name, undefined);
  }

  /** A record, which nobody asks for before it is committed unless its key can supersede it. */
  append(head: StreamHead, record: { sequence: number; value: Uint8Array }): void {
    const key = sequenceKey(head.number, record.sequence);
    this.#appended.add(head.name);
    if (head.options.newestOfKey === true) this.put('records', key, record.value);
    else this.add('records', key, record.value);
  }

  /** A row that nobody asks for before it is committed. */
  add(table: TableName, key: RowKey, value: Uint8Array): void {
    this.#writes.push({ table, key, value });
  }

  get(table: TableName, key: RowKey): Uint8Array | undefined {
    const staged = this.#staged.get(table);
    const value = staged?.get(key);
    if (value !== undefined || staged?.has(key) === true) return value;
    return this.#tables.get(table, key);
  }

  range(table: TableName, range: TableRange): Iterable<TableRow> {
    return this.#tables.range(table, range);
  }

  put(table: TableName, key: RowKey, value: Uint8Array): void {
    this.#stage(table, key, value);
    this.#writes.push({ table, key, value });
  }

  remove(table: TableName, key: RowKey): void {
    this.#stage(table, key, undefined);
    this.#writes.push({ table, key, value: undefined });
  }

  #stage(table: TableName, key: RowKey, value: Uint8Array | undefined): void {
    const staged = this.#staged.get(table);
    if (staged === undefined) this.#staged.set(table, new Map([[key, value]]));
    else staged.set(key, value);
  }

  /** Everything that is to be written, heads last. */
  writes(): readonly TableWrite[] {
    for (const [name, head] of this.#heads) {
      const value = head === undefined ? undefined : encodeHead(head);
      this.#writes.push({ table: 'streams', key: textKey(name), value });
    }
    return this.#writes;
  }
}

export function goneError(name: string): LogError {
  return new LogError('Gone', `Cannot use stream "${name}": it was removed, expected it to stand`);
}
