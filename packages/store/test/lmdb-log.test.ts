import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { openLmdbLog } from '../src/log.ts';
import { testLogContract } from './log-contract.ts';
import { testLogProperty } from './log-property.ts';
import { bytes, passing, payloads } from './log-reading.ts';

const root = await mkdtemp(join(tmpdir(), 'fnlet-log-'));
after(() => rm(root, { recursive: true }));
const newDirectory = (): Promise<string> => mkdtemp(join(root, 'log-'));

testLogContract('openLmdbLog()', async (clock) =>
  openLmdbLog({ directory: await newDirectory(), clock }),
);

testLogProperty(
  'openLmdbLog()',
  async (clock) => openLmdbLog({ directory: await newDirectory(), clock }),
  15,
);

describe('openLmdbLog() on a directory that was used', () => {
  it('finds streams, records, ids and consumers again', async () => {
    const directory = join(await newDirectory(), 'new', 'events');
    const clock = new VirtualClock();
    const first = await openLmdbLog({ directory, clock });
    const written = await first.stream('a', { dedupeMs: 60_000, maxAgeMs: 600_000 });
    const { sequences, last } = await written.append([
      { id: 'x', key: 'k', payload: bytes('a') },
      { payload: bytes('b') },
    ]);
    const [a = 0] = sequences;
    const reader = await written.consumer('c');
    await reader.commit({ cursor: last, outstanding: [{ sequence: a, state: bytes('later') }] });
    await first.close();

    await using second = await openLmdbLog({ directory, clock });
    assert.equal(second.durability, 'flushed');
    assert.deepEqual(await second.streams(''), ['a']);
    const stream = await second.stream('a');
    assert.deepEqual(await payloads(stream), ['a', 'b']);
    assert.equal((await stream.read(0, { limit: 1 }))[0]?.key, 'k');
    const again = await stream.append([{ id: 'x', payload: bytes('again') }]);
    assert.deepEqual(again, { sequences: [undefined], last });
    const consumer = await stream.consumer('c');
    assert.equal(consumer.cursor, last);
    for await (const { sequence, state } of consumer.outstanding()) {
      assert.deepEqual([sequence, Buffer.from(state).toString()], [a, 'later']);
    }
    // The bounds hold without any append.
    await clock.advance(600_000);
    await passing(clock, async () => (await stream.size()).records === 0);
    assert.ok((await stream.append([{ payload: bytes('c') }])).last > last);
  });

  it('goes on dropping the rows of a stream that was removed', async () => {
    const directory = await newDirectory();
    const first = await openLmdbLog({ directory });
    const old = await first.stream('a');
    const many = Array.from({ length: 4_000 }, () => ({ payload: bytes('x') }));
    await old.append(many);
    await first.removeStream('a');
    await first.close();
    await using second = await openLmdbLog({ directory });
    assert.deepEqual(await second.streams(''), []);
    const stream = await second.stream('a');
    assert.deepEqual(await stream.size(), {
      records: 0,
      bytes: 0,
      first: 1,
      last: 0,
      oldestMs: undefined,
    });
    await stream.append([{ payload: bytes('new') }]);
    assert.deepEqual(await payloads(stream), ['new']);
  });
});

describe('openLmdbLog() on a directory that it cannot use', () => {
  it('refuses a second owner, and names the first', async () => {
    const directory = await newDirectory();
    await using _owner = await openLmdbLog({ directory });
    await assert.rejects(openLmdbLog({ directory }), {
      code: 'Locked',
      message: new RegExp(`process ${process.pid} owns it`),
      remedy: /Stop process \d+/,
    });
  });

  it('refuses a format that it does not know, and releases the directory', async () => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'format.json'), '{"kind":"fnlet-store","format":99}');
    await assert.rejects(openLmdbLog({ directory }), { code: 'Broken', message: /format 99/ });
    await rm(join(directory, 'format.json'));
    await using _log = await openLmdbLog({ directory });
  });

  it('says so when it may not write, or finds no directory', async () => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'file'), '');
    await assert.rejects(openLmdbLog({ directory: join(directory, 'file') }), { code: 'Broken' });
    if (process.getuid?.() === 0) return;
    const readOnly = join(directory, 'read-only');
    await mkdir(readOnly);
    await chmod(readOnly, 0o500);
    await assert.rejects(openLmdbLog({ directory: readOnly }), {
      code: 'Broken',
      remedy: /written/,
    });
  });
});
