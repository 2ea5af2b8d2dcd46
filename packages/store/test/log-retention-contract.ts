import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { LogStream } from '../src/log.ts';
import { bytes, eventually, type OpenLog, passing, payloads, readAll } from './log-reading.ts';

async function appendEach(stream: LogStream, entries: readonly string[]): Promise<void> {
  for (const text of entries) await stream.append([{ payload: bytes(text) }]);
}

/** What a stream with bounds keeps. */
export function testRetention(open: OpenLog): void {
  testCountAndSize(open);
  testAge(open);
  testNewestOfKey(open);
}

function testCountAndSize(open: OpenLog): void {
  it('a stream keeps the newest records up to its count', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a', { maxRecords: 3 });
    await stream.append(['a', 'b', 'c', 'd', 'e'].map((text) => ({ payload: bytes(text) })));
    await eventually(async () => (await stream.size()).records === 3);
    assert.deepEqual(await payloads(stream), ['c', 'd', 'e']);
    await appendEach(stream, ['f']);
    await eventually(async () => (await stream.size()).records === 3);
    assert.deepEqual(await payloads(stream), ['d', 'e', 'f']);
  });

  it('a stream keeps the newest records up to its size', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a', { maxBytes: 10 });
    await appendEach(stream, ['aaaa', 'bbbb']);
    assert.deepEqual(await payloads(stream), ['aaaa', 'bbbb']);
    await appendEach(stream, ['cccc']);
    await eventually(async () => (await stream.size()).bytes === 8);
    assert.deepEqual(await payloads(stream), ['bbbb', 'cccc']);
  });

  it('a bound that comes later holds for what is there', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const entry = { payload: bytes('a') };
    await stream.append(Array.from({ length: 3_000 }, () => entry));
    await log.stream('a', { maxRecords: 2 });
    await eventually(async () => (await stream.size()).records === 2);
    assert.equal((await readAll(stream)).length, 2);
  });
}

function testAge(open: OpenLog): void {
  it('records go when they are older than the stream keeps them', async () => {
    const clock = new VirtualClock();
    await using log = await open(clock);
    const stream = await log.stream('a', { maxAgeMs: 600_000 });
    const other = await log.stream('b');
    await appendEach(stream, ['a', 'b']);
    await appendEach(other, ['kept']);
    await clock.advance(400_000);
    await appendEach(stream, ['c']);
    await clock.advance(190_000);
    assert.deepEqual(await payloads(stream), ['a', 'b', 'c']);
    await passing(clock, async () => (await stream.size()).records === 1);
    assert.deepEqual(await payloads(stream), ['c']);
    await passing(clock, async () => (await stream.size()).records === 0);
    assert.deepEqual(await payloads(other), ['kept']);
    await passing(clock, () => clock.timers === 0);
  });

  it('an age that comes later holds for what is there', async () => {
    const clock = new VirtualClock();
    await using log = await open(clock);
    const stream = await log.stream('a');
    await appendEach(stream, ['a']);
    await clock.advance(600_000);
    await log.stream('a', { maxAgeMs: 600_000 });
    await passing(clock, async () => (await stream.size()).records === 0);
  });
}

function testNewestOfKey(open: OpenLog): void {
  it('a stream of the newest of each key keeps one record of each', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a', { newestOfKey: true });
    const put = (key: string, text: string) => ({ key, payload: bytes(text) });
    await stream.append([put('x', 'x1'), put('y', 'y1'), put('x', 'x2')]);
    await stream.append([{ payload: bytes('of no key') }]);
    await stream.append([put('y', 'y22')]);
    await eventually(async () => (await stream.size()).records === 3);
    assert.deepEqual(await payloads(stream), ['x2', 'of no key', 'y22']);
    assert.equal((await stream.size()).bytes, 14);
    const [x] = await stream.read(0, { limit: 1 });
    await stream.remove([x?.sequence ?? 0]);
    await stream.append([put('x', 'x3')]);
    assert.deepEqual(await payloads(stream), ['of no key', 'y22', 'x3']);
  });

  it('a stream keeps all records of a key unless told otherwise', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    for (const text of ['1', '2']) await stream.append([{ key: 'x', payload: bytes(text) }]);
    assert.deepEqual(await payloads(stream), ['1', '2']);
  });
}
