/**
 * Tables whose commits add to one place, the journal, wherever their rows belong: 64 appends to as
 * many streams, each with an id, would write 128 pages of 16 kB at 128 places for 64 kB. What is in
 * the journal is in memory, too; once there is enough of it, it goes to the tables in the order of
 * their keys, a part with each commit, so that a page is written for many rows, and no commit
 * waits for all of them. What was dropped by then, as most of what is delivered soon is, never
 * goes there.
 *
 * I1. What is read is what all commits wrote, in their order: the newest of a row is in `active`,
 *     else in `moving`, else in the tables.
 * I2. The journal keeps what is in `active` or `moving`, and nothing else once those are empty; it
 *     is written by the commit itself, and given up by the one that moves the last of it.
 * I3. A row that went to the tables may be there twice after a crash: with the same value.
 * I4. `active` has at most half as much again as starts a move, unless one commit brings it.
 */
import { chunkKey, decodeEntry, encodeEntry, entryOf } from './journal-entry.ts';
import { limits } from './limits.ts';
import { LogError } from './log-error.ts';
import { mergeRecords, mergeRows, presentRows } from './merge-rows.ts';
import { Move } from './move.ts';
import { type JournalEntry, Overlay } from './overlay.ts';
import { streamOf } from './table-keys.ts';
import type { LogTables, RowKey, TableName, TableRange, TableRow, TableWrite } from './tables.ts';

export interface JournalBounds {
  /** So much in memory starts to go to the tables. */
  readonly activeBytes: number;
  /** Records of one stream that have so many bytes together go to their table at once. */
  readonly directBytes: number;
  /** Bytes of one row of the journal. */
  readonly chunkBytes: number;
}

const defaults: JournalBounds = {
  activeBytes: limits.journalBytes,
  directBytes: limits.pageBytes,
  chunkBytes: limits.journalChunkBytes,
};

const whole = { from: chunkKey(0, 0), until: chunkKey(2 ** 48 - 1, 0) };

export class JournaledTables implements LogTables {
  readonly #tables: LogTables;
  readonly #bounds: JournalBounds;
  #active = new Overlay();
  #move: Move | undefined;
  #nextEntry = 1;

  /** @throws LogError `Broken` */
  constructor(tables: LogTables, bounds: JournalBounds = defaults) {
    this.#tables = tables;
    this.#bounds = bounds;
    const left = loadJournal(tables);
    const last = left.entries.at(-1);
    if (last === undefined) return;
    // A part of it may be in the tables.
    this.#move = new Move(left);
    this.#nextEntry = last.number + 1;
  }

  get durability(): LogTables['durability'] {
    return this.#tables.durability;
  }

  get isFull(): boolean {
    return this.#tables.isFull;
  }

  ready(): Promise<void> | undefined {
    return this.#tables.ready();
  }

  get(table: TableName, key: RowKey): Uint8Array | undefined {
    const changed = this.#active.get(table, key) ?? this.#move?.overlay.get(table, key);
    if (changed === undefined) return this.#tables.get(table, key);
    return changed === 'removed' ? undefined : changed;
  }

  range(table: TableName, range: TableRange): Iterable<TableRow> {
    const newest = this.#active.range(table, range);
    const newer = this.#move?.overlay.range(table, range);
    if (newest === undefined && newer === undefined) return this.#tables.range(table, range);
    // Of those below some may be removed.
    const below = (from: RowKey): Iterable<TableRow> =>
      this.#tables.range(table, { ...range, from, limit: Number.POSITIVE_INFINITY });
    const above = newer === undefined ? newest : mergeRows(newest, newer);
    const rows =
      table === 'records' && above !== undefined
        ? mergeRecords(above, below, range)
        : mergeRows(above, below(range.from));
    return presentRows(rows, range.limit);
  }

  async commit(writes: readonly TableWrite[]): Promise<void> {
    if (this.#tables.isFull) return await this.#commitThrough(writes);
    const { activeBytes, directBytes, chunkBytes } = this.#bounds;
    if (this.#active.bytes >= activeBytes && this.#move === undefined) {
      this.#move = new Move(this.#active);
      this.#active = new Overlay();
    }
    const move = this.#move;
    const { direct, journaled } = splitDirect(writes, directBytes);
    const { bytes, values } = encodeEntry(journaled);
    const number = this.#nextEntry;
    const chunks = chunksOf(bytes, number, chunkBytes);
    const isBehind = this.#active.bytes > 1.5 * activeBytes;
    const count = isBehind ? Number.POSITIVE_INFINITY : 2 * writes.length;
    const part = move?.take(count, this.#active) ?? [];
    const forgotten = move?.isWhole === true ? rowsOf(move.overlay.entries) : [];
    await this.#tables.commit([...direct, ...chunks, ...part, ...forgotten]);
    this.#nextEntry++;
    move?.confirm();
    if (move?.isWhole === true) this.#move = undefined;
    this.#active.note({ number, chunks: chunks.length }, bytes.length);
    for (let i = 0; i < journaled.length; i++) {
      const write = journaled[i];
      if (write === undefined) break;
      const { table, key } = write;
      this.#active.write({ table, key, value: values[i] }, table === 'records');
    }
  }

  /** Without room for a journal everything goes where it belongs, which gives up the journal. */
  async #commitThrough(writes: readonly TableWrite[]): Promise<void> {
    const moving = this.#move?.take(Number.POSITIVE_INFINITY, this.#active) ?? [];
    const entries = [...(this.#move?.overlay.entries ?? []), ...this.#active.entries];
    await this.#tables.commit([...moving, ...this.#active.all(), ...writes, ...rowsOf(entries)]);
    this.#move = undefined;
    this.#active = new Overlay();
  }

  close(): Promise<void> {
    return this.#tables.close();
  }
}

/** @throws LogError `Broken` */
function loadJournal(tables: LogTables): Overlay {
  const overlay = new Overlay();
  const rows = tables.range('journal', { ...whole, limit: Number.POSITIVE_INFINITY });
  for (const [number, chunks] of entriesIn(rows)) {
    const bytes = Buffer.concat(chunks);
    overlay.note({ number, chunks: chunks.length }, bytes.length);
    try {
      for (const write of decodeEntry(bytes)) overlay.write(write, false);
    } catch (cause) {
      const message = `Cannot open the log: found entry ${number} of its journal broken, expected it whole`;
      throw new LogError('Broken', message, { cause, remedy: 'Restore it from a backup' });
    }
  }
  return overlay;
}

function* entriesIn(
  rows: Iterable<TableRow>,
): Generator<[number, readonly Uint8Array[]], void, undefined> {
  let chunks: Uint8Array[] = [];
  let number = 0;
  for (const { key, value } of rows) {
    const entry = entryOf(key);
    if (entry !== number && chunks.length > 0) {
      yield [number, chunks];
      chunks = [];
    }
    number = entry;
    chunks.push(value);
  }
  if (chunks.length > 0) yield [number, chunks];
}

function chunksOf(bytes: Buffer, number: number, chunkBytes: number): readonly TableWrite[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, chunk) => ({
    table: 'journal',
    key: chunkKey(number, chunk),
    value: bytes.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes),
  }));
}

function rowsOf(entries: readonly JournalEntry[]): readonly TableWrite[] {
  return entries.flatMap(({ number, chunks }) =>
    Array.from({ length: chunks }, (_, chunk): TableWrite => {
      return { table: 'journal', key: chunkKey(number, chunk), value: undefined };
    }),
  );
}

/** Records that fill pages of their own need no detour: their rows are new. */
function splitDirect(
  writes: readonly TableWrite[],
  directBytes: number,
): { direct: readonly TableWrite[]; journaled: readonly TableWrite[] } {
  const bytes = new Map<number, number>();
  for (const { table, key, value } of writes) {
    if (table !== 'records' || value === undefined) continue;
    const stream = streamOf(key);
    bytes.set(stream, (bytes.get(stream) ?? 0) + value.length);
  }
  if (Math.max(...bytes.values()) < directBytes) return { direct: [], journaled: writes };
  const isDirect = ({ table, key, value }: TableWrite): boolean =>
    table === 'records' && value !== undefined && (bytes.get(streamOf(key)) ?? 0) >= directBytes;
  const { direct = [], journaled = [] } = Object.groupBy(writes, (write) =>
    isDirect(write) ? 'direct' : 'journaled',
  );
  return { direct, journaled };
}
