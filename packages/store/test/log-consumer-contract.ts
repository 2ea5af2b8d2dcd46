import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { LogConsumer, LogStream, OutstandingRecord } from '../src/log.ts';
import { bytes, type OpenLog } from './log-reading.ts';

async function outstandingOf(consumer: LogConsumer): Promise<[number, string][]> {
  const all: [number, string][] = [];
  for await (const { sequence, state } of consumer.outstanding()) {
    all.push([sequence, Buffer.from(state).toString()]);
  }
  return all;
}

function outstanding(sequence: number, state: string): OutstandingRecord {
  return { sequence, state: bytes(state) };
}

async function fill(stream: LogStream, count: number): Promise<readonly number[]> {
  const entries = Array.from({ length: count }, (_, n) => ({ payload: bytes(`${n}`) }));
  const { sequences } = await stream.append(entries);
  return sequences.map((sequence) => sequence ?? 0);
}

/** What a stream remembers of those who read it. */
export function testConsumers(open: OpenLog): void {
  testCommits(open);
  testRemoval(open);
}

function testCommits(open: OpenLog): void {
  it('a consumer stands where it was committed last', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const [a = 0, b = 0] = await fill(stream, 3);
    const consumer = await stream.consumer('c');
    assert.equal(consumer.cursor, 0);
    assert.deepEqual(await outstandingOf(consumer), []);
    await consumer.commit({ cursor: b, outstanding: [outstanding(a, 'later')] });
    const again = await stream.consumer('c');
    assert.equal(again.cursor, b);
    assert.deepEqual(await outstandingOf(again), [[a, 'later']]);
    const other = await stream.consumer('other');
    assert.equal(other.cursor, 0);
    assert.deepEqual(await outstandingOf(other), []);
  });

  it('commit() changes and settles what is outstanding, in order of sequence', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const [a = 0, b = 0, c = 0, d = 0] = await fill(stream, 4);
    const consumer = await stream.consumer('c');
    await consumer.commit({
      cursor: d,
      outstanding: [outstanding(c, 'c1'), outstanding(a, 'a1'), outstanding(b, 'b1')],
    });
    await Promise.all([
      consumer.commit({ outstanding: [outstanding(a, 'a2')] }),
      consumer.commit({ settled: [b, d] }),
      consumer.commit({}),
    ]);
    const again = await stream.consumer('c');
    assert.equal(again.cursor, d);
    assert.deepEqual(await outstandingOf(again), [
      [a, 'a2'],
      [c, 'c1'],
    ]);
    await again.commit({ settled: [a, c] });
    assert.deepEqual(await outstandingOf(await stream.consumer('c')), []);
  });

  it('outstanding() gives more than one page of them', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const consumer = await stream.consumer('c');
    const sequences: number[] = [];
    for (let page = 0; page < 3; page++) {
      const added = await fill(stream, 2_000);
      const cursor = added.at(-1) ?? 0;
      await consumer.commit({ cursor, outstanding: added.map((one) => outstanding(one, 'x')) });
      sequences.push(...added);
    }
    const again = await stream.consumer('c');
    const found = await outstandingOf(again);
    assert.deepEqual(
      found.map(([sequence]) => sequence),
      sequences,
    );
  });
}

function testRemoval(open: OpenLog): void {
  it('removeConsumer() forgets it; one of the same name begins anew', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const sequences = await fill(stream, 2_500);
    for (const name of ['b', 'c']) {
      const consumer = await stream.consumer(name);
      const all = sequences.map((sequence) => outstanding(sequence, name));
      await consumer.commit({ cursor: sequences.at(-1) ?? 0, outstanding: all });
    }
    const old = await stream.consumer('b');
    assert.deepEqual([...(await stream.consumers())].sort(), ['b', 'c']);
    await stream.removeConsumer('b');
    await stream.removeConsumer('never there');
    assert.deepEqual(await stream.consumers(), ['c']);
    await assert.rejects(old.commit({ cursor: 1 }), { code: 'Gone' });
    const anew = await stream.consumer('b');
    assert.equal(anew.cursor, 0);
    assert.deepEqual(await outstandingOf(anew), []);
    assert.equal((await outstandingOf(await stream.consumer('c'))).length, 2_500);
  });

  it('commit() of one consumer leaves the records and other consumers alone', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const [a = 0] = await fill(stream, 2);
    const consumer = await stream.consumer('c');
    await consumer.commit({ cursor: a, settled: [a] });
    assert.equal((await stream.size()).records, 2);
    await stream.trim(a + 1);
    assert.equal((await stream.consumer('c')).cursor, a);
  });
}
