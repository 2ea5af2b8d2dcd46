import { statfs } from 'node:fs/promises';
import { assert } from '@fnlet/base';
import type { Database, RootDatabase } from 'lmdb';
import { explainFailedCommit } from '../failed-commit.ts';
import { loadLmdb } from '../load-lmdb.ts';
import { limits } from './limits.ts';
import { LogError } from './log-error.ts';
import { giveSpareRoom, takeSpareRoom } from './spare-room.ts';
import { keyText, writeKey } from './table-keys.ts';
import {
  type LogTables,
  type RowKey,
  type TableName,
  type TableRange,
  type TableRow,
  type TableWrite,
  tableNames,
} from './tables.ts';

type Table = Database<Buffer, RowKey>;

interface Environment {
  readonly root: RootDatabase<Buffer, RowKey>;
  readonly tables: ReadonlyMap<TableName, Table>;
}

/**
 * Tables in one LMDB environment. A resolved commit is flushed, for the reasons of LmdbLedger.
 *
 * Every page that is read, also to be changed, is mapped and counts as memory of this process until
 * it is unmapped; a backlog that is read once would count as a whole. So the environment is closed
 * and opened again, which takes 2 ms, whenever so much was read and written.
 *
 * A full disk takes no records any more, but they can be dropped, for which some room is spared: as
 * long as there is none, appends are refused before they come here.
 *
 * I1. It is closed only while nothing is being committed and nobody reads: readers ask `ready`, and
 *     read within the same turn of the loop.
 */
export class LmdbTables implements LogTables {
  readonly durability = 'flushed';
  readonly #directory: string;
  #environment: Environment;
  #touchedBytes = 0;
  #committing = false;
  #isFull = false;
  /** Whether room was just looked for in vain, so that who waited for it goes on. */
  #hasLooked = false;
  #reopening: Promise<void> | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#environment = openEnvironment(directory);
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  ready(): Promise<void> | undefined {
    if (this.#touchedBytes > limits.mappedBytesMax && !this.#committing) {
      this.#touchedBytes = 0;
      this.#reopening = this.#reopen().finally(() => {
        this.#reopening = undefined;
      });
    }
    if (!this.#isFull || this.#hasLooked) {
      this.#hasLooked = false;
      return this.#reopening;
    }
    this.#hasLooked = true;
    return this.#lookForRoom();
  }

  /** Somebody may have made room on the disk. */
  async #lookForRoom(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#directory);
    if (bavail * bsize < 3 * limits.spareBytes) return;
    await takeSpareRoom(this.#directory);
    this.#isFull = false;
  }

  async #reopen(): Promise<void> {
    await this.#environment.root.close();
    this.#environment = openEnvironment(this.#directory);
  }

  get(table: TableName, key: RowKey): Uint8Array | undefined {
    const value = this.#table(table).get(key);
    this.#touchedBytes += value?.length ?? 0;
    return value;
  }

  *range(
    table: TableName,
    { from, until, limit }: TableRange,
  ): Generator<TableRow, void, undefined> {
    const range = { start: from, end: until };
    const options = Number.isFinite(limit) ? { ...range, limit } : range;
    for (const { key, value } of this.#table(table).getRange(options)) {
      this.#touchedBytes += value.length;
      yield { key, value };
    }
  }

  async commit(writes: readonly TableWrite[]): Promise<void> {
    this.#committing = true;
    try {
      await this.#environment.root.batch(() => {
        for (const { table, key, value } of writes) {
          if (value === undefined) this.#table(table).remove(key);
          else this.#table(table).put(key, toBuffer(value));
          this.#touchedBytes += value?.length ?? 0;
        }
      });
      // LMDB uses the pages of dropped records again.
      this.#isFull &&= !writes.some(({ table, value }) => table === 'records' && !value);
    } catch (error) {
      const { code, message, options } = await explainFailedCommit(error, this.#directory);
      if (code === 'Full') {
        this.#isFull = true;
        await giveSpareRoom(this.#directory);
      }
      throw new LogError(code, message, options);
    } finally {
      this.#committing = false;
    }
  }

  #table(name: TableName): Table {
    const table = this.#environment.tables.get(name);
    assert(table !== undefined, 'all tables are open');
    return table;
  }

  async close(): Promise<void> {
    await this.#reopening;
    await this.#environment.root.close();
  }
}

function openEnvironment(directory: string): Environment {
  const { open } = loadLmdb();
  const durable = { overlappingSync: false, eventTurnBatching: false };
  const { mapBytes: mapSize, pageBytes: pageSize } = limits;
  const options = { ...durable, noSubdir: false, mapSize, pageSize };
  const root = open<Buffer, RowKey>({ path: directory, ...options });
  const bytes = { encoding: 'binary', keyEncoder } as const;
  const tables = tableNames.map(
    (name) => [name, root.openDB<Buffer, RowKey>(name, bytes)] as const,
  );
  return { root, tables: new Map(tables) };
}

/** Keys as LMDB has them are their octets: no buffer is made of each. */
const keyEncoder = {
  writeKey,
  readKey: (bytes: Uint8Array, start: number, end: number): RowKey =>
    Buffer.isBuffer(bytes)
      ? bytes.toString('latin1', start, end)
      : keyText(bytes.subarray(start, end)),
};

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
