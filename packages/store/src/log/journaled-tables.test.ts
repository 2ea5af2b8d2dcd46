import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import fc from 'fast-check';
import { testLogContract } from '../../test/log-contract.ts';
import { testLogProperty } from '../../test/log-property.ts';
import { JournaledTables } from './journaled-tables.ts';
import { LogError } from './log-error.ts';
import { MemoryTables } from './memory-tables.ts';
import { sequenceKey, streamPrefix } from './table-keys.ts';
import { TableLog } from './table-log.ts';
import {
  type LogTables,
  type TableName,
  type TableRow,
  type TableWrite,
  tableNames,
} from './tables.ts';

// So small that everything happens in a life of a few commits.
const tiny = { activeBytes: 120, directBytes: 60, chunkBytes: 32 };

testLogContract(
  'a log over JournaledTables',
  async (clock) => new TableLog(new JournaledTables(new MemoryTables(), tiny), { clock }),
);
testLogProperty(
  'a log over JournaledTables',
  async (clock) => new TableLog(new JournaledTables(new MemoryTables(), tiny), { clock }),
  60,
);

describe('JournaledTables', () => {
  it('gives what was just appended without a look at the tables below', async () => {
    let looks = 0;
    class Watched extends MemoryTables {
      override range(
        ...asked: Parameters<MemoryTables['range']>
      ): ReturnType<MemoryTables['range']> {
        if (asked[0] === 'records') looks++;
        return super.range(...asked);
      }
    }
    const log = new TableLog(new JournaledTables(new Watched()), { clock: new VirtualClock() });
    const stream = await log.stream('s');
    await stream.append(['a', 'b', 'c'].map((text) => ({ payload: Buffer.from(text) })));
    const read = async (from: number): Promise<readonly string[]> => {
      const records = await stream.read(from, { limit: 9 });
      return records.map(({ payload }) => Buffer.from(payload).toString());
    };
    assert.deepEqual(await read(1), ['a', 'b', 'c']);
    assert.deepEqual(await read(3), ['c']);
    assert.deepEqual(await read(4), []);
    assert.equal(looks, 0);
    await stream.remove([2]);
    assert.deepEqual(await read(1), ['a', 'c']);
    assert.equal(looks, 1);
    await log.close();
  });
});

/** Tables that outlive the process, and may refuse a commit. */
class Disk extends MemoryTables {
  refuses = false;
  override isFull = false;
  readonly written: TableWrite[] = [];

  override async commit(writes: readonly TableWrite[]): Promise<void> {
    if (this.refuses) throw new LogError('Full', 'Cannot write: found no room, expected some');
    await super.commit(writes);
    this.written.push(...writes);
  }
}

function rowsOf(tables: LogTables, table: TableName): readonly [string, string][] {
  const range = { from: '', until: '\xff'.repeat(20) };
  return Array.from(tables.range(table, { ...range, limit: Number.POSITIVE_INFINITY }), rowText);
}

function rowText({ key, value }: TableRow): [string, string] {
  return [key, Buffer.from(value).toString()];
}

/** A record has one value in its life; other rows have many. */
class Life {
  readonly disk = new Disk();
  readonly model = new MemoryTables();
  tables = new JournaledTables(this.disk, tiny);
  #last = 0;

  writes(kinds: readonly number[]): readonly TableWrite[] {
    return kinds.map((kind): TableWrite => {
      const stream = kind % 3;
      const sequence = Math.floor(kind / 8) % (this.#last + 1);
      const other = sequenceKey(stream, kind % 5);
      if (kind % 8 < 3) {
        this.#last++;
        const value = Buffer.from(`${this.#last}`.padEnd(kind % 40, '.'));
        return { table: 'records', key: sequenceKey(stream, this.#last), value };
      }
      if (kind % 8 < 5) {
        return { table: 'records', key: sequenceKey(stream, sequence), value: undefined };
      }
      if (kind % 8 < 7) return { table: 'ids', key: other, value: Buffer.from(`${kind}`) };
      return { table: 'ids', key: other, value: undefined };
    });
  }

  async commit(kinds: readonly number[]): Promise<void> {
    const writes = this.writes(kinds);
    await this.tables.commit(writes);
    await this.model.commit(writes);
  }

  check(): void {
    for (const table of tableNames) {
      if (table === 'journal') continue;
      assert.deepEqual(rowsOf(this.tables, table), rowsOf(this.model, table));
      const [first] = rowsOf(this.model, table);
      if (first === undefined) continue;
      const value = this.tables.get(table, first[0]);
      assert.equal(Buffer.from(value ?? []).toString(), first[1]);
    }
    for (const limit of [0, 1, 2]) {
      const range = { from: sequenceKey(1, 1), until: streamPrefix(2), limit };
      const found = [...this.tables.range('ids', range)].map(rowText);
      assert.deepEqual(found, [...this.model.range('ids', range)].map(rowText));
    }
  }
}

type Step = (life: Life) => Promise<void>;

const kinds = fc.array(fc.nat(1_000), { maxLength: 12 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: kinds.map(
      (given): Step =>
        (life) =>
          life.commit(given),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>(async (life) => {
      life.tables = new JournaledTables(life.disk, tiny);
    }),
  },
  {
    weight: 1,
    arbitrary: kinds.map(
      (given): Step =>
        async (life) => {
          life.disk.refuses = true;
          await assert.rejects(life.tables.commit(life.writes(given)), { code: 'Full' });
          life.disk.refuses = false;
        },
    ),
  },
  {
    weight: 1,
    arbitrary: kinds.map(
      (given): Step =>
        async (life) => {
          life.disk.isFull = true;
          await life.commit(given);
          assert.deepEqual(rowsOf(life.disk, 'journal'), [], 'a full disk keeps no journal');
          life.disk.isFull = false;
        },
    ),
  },
);

describe('JournaledTables', () => {
  it('read as plain ones would, through crashes and commits that are refused', async () => {
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (all) => {
      const life = new Life();
      for (const step of all) {
        await step(life);
        life.check();
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('write most commits to one place, and each row to its table once', async () => {
    const disk = new Disk();
    const log = new TableLog(new JournaledTables(disk), { clock: new VirtualClock() });
    const names = Array.from({ length: 100 }, (_, n) => `t${n}`);
    const streams = await Promise.all(names.map((name) => log.stream(name, { dedupeMs: 600_000 })));
    const payload = new Uint8Array(1_000);
    const appends = 200;
    let parts = 0;
    for (let round = 0; round < appends; round++) {
      disk.written.length = 0;
      const entry = (n: number) => ({ id: `${round}/${n}`, payload });
      await Promise.all(streams.map((stream, n) => stream.append([entry(n)])));
      const elsewhere = disk.written.filter(({ table }) => table !== 'journal').length;
      assert.ok(elsewhere <= 2 * 4 * streams.length, `${elsewhere} rows in one commit`);
      if (elsewhere > 0) parts++;
    }
    assert.ok(parts < appends / 2, `${parts} of ${appends} commits wrote to tables`);
    const journal = rowsOf(disk, 'journal').reduce((sum, [, { length }]) => sum + length, 0);
    assert.ok(journal < 2.5 * 2_097_152, `${journal} bytes are in the journal`);
    await log.close();
  });

  it('never write to its table what was dropped soon', async () => {
    const disk = new Disk();
    const log = new TableLog(new JournaledTables(disk), { clock: new VirtualClock() });
    const stream = await log.stream('t');
    const payload = new Uint8Array(1_000);
    for (let round = 0; round < 4_000; round++) {
      const { last } = await stream.append([{ payload }]);
      await stream.trim(last + 1);
    }
    const records = disk.written.filter(({ table, value }) => table === 'records' && value);
    assert.ok(
      disk.written.some(({ table }) => table === 'streams'),
      'some of it was moved',
    );
    // When a move begins there is one that was not dropped yet.
    assert.ok(records.length < 10, `${records.length} of 4000`);
    await log.close();
  });

  it('refuse a journal that is not whole', async () => {
    const disk = new Disk();
    const value = Buffer.from([200, 0, 1, 0, 0, 0, 1, 7, 7]);
    await disk.commit([{ table: 'journal', key: '\0\0\0\0\0\x01\0\0', value }]);
    assert.throws(() => new JournaledTables(disk), { code: 'Broken' });
  });
});
