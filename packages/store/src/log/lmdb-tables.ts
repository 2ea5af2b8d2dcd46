import { createRequire } from 'node:module';
import { assert } from '@fnlet/base';
import type { Database, RootDatabase } from 'lmdb';
import { explainFailedCommit } from '../failed-commit.ts';
import { limits } from './limits.ts';
import { LogError } from './log-error.ts';
import {
  type LogTables,
  type TableName,
  type TableRange,
  type TableRow,
  type TableWrite,
  tableNames,
} from './tables.ts';

type Table = Database<Buffer, Buffer>;

/**
 * Tables in one LMDB environment. A resolved commit is flushed, for the reasons of LmdbLedger.
 */
export class LmdbTables implements LogTables {
  readonly durability = 'flushed';
  readonly #directory: string;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #tables: ReadonlyMap<TableName, Table>;

  private constructor(root: RootDatabase<Buffer, Buffer>, directory: string) {
    this.#root = root;
    this.#directory = directory;
    const bytes = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.#tables = new Map(
      tableNames.map((name) => [name, root.openDB<Buffer, Buffer>(name, bytes)]),
    );
  }

  /** Opens the environment in `directory`; the caller owns the directory's lock. */
  static open(directory: string): LmdbTables {
    const { open }: typeof import('lmdb') = createRequire(import.meta.url)('lmdb');
    const durable = { overlappingSync: false, eventTurnBatching: false };
    const options = { ...durable, noSubdir: false, mapSize: limits.mapBytes };
    return new LmdbTables(open<Buffer, Buffer>({ path: directory, ...options }), directory);
  }

  get(table: TableName, key: Uint8Array): Uint8Array | undefined {
    return this.#table(table).get(toBuffer(key));
  }

  range(table: TableName, { from, until, limit }: TableRange): Iterable<TableRow> {
    const range = { start: toBuffer(from), end: toBuffer(until) };
    return this.#table(table).getRange(Number.isFinite(limit) ? { ...range, limit } : range);
  }

  async commit(writes: readonly TableWrite[]): Promise<void> {
    try {
      await this.#root.batch(() => {
        for (const { table, key, value } of writes) {
          if (value === undefined) this.#table(table).remove(toBuffer(key));
          else this.#table(table).put(toBuffer(key), toBuffer(value));
        }
      });
    } catch (error) {
      const { code, message, options } = await explainFailedCommit(error, this.#directory);
      throw new LogError(code, message, options);
    }
  }

  #table(name: TableName): Table {
    const table = this.#tables.get(name);
    assert(table !== undefined, `table ${name} is open`);
    return table;
  }

  close(): Promise<void> {
    return this.#root.close();
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
