import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { appendParts, type Log, type LogStream } from '../src/log.ts';
import { testConsumers } from './log-consumer-contract.ts';
import { bytes, eventually, type OpenLog, payloads, readAll, texts } from './log-reading.ts';
import { testRetention } from './log-retention-contract.ts';

/** What every log must do; run it for each implementation. */
export function testLogContract(name: string, open: OpenLog): void {
  describe(name, () => {
    testAppends(open);
    testExpectations(open);
    testDedupe(open);
    testReads(open);
    testSubscriptions(open);
    testStreams(open);
    testBounds(open);
    testRetention(open);
    testConsumers(open);
    testLifecycle(open);
  });
}

async function openStream(open: OpenLog): Promise<{ log: Log; stream: LogStream }> {
  const log = await open(new VirtualClock());
  return { log, stream: await log.stream('trigger/a') };
}

function testAppends(open: OpenLog): void {
  it('append() gives every entry a greater sequence, and keeps what was given', async () => {
    const clock = new VirtualClock();
    await using log = await open(clock);
    const stream = await log.stream('trigger/a');
    const payload = Uint8Array.from({ length: 256 }, (_, n) => n);
    const first = await stream.append([{ payload }, { key: 'ä/😀 \0.*>', payload: bytes('') }]);
    const atMs = clock.now();
    await clock.advance(5);
    const second = await stream.append([{ key: '', payload: bytes('c') }]);
    const sequences = [...first.sequences, ...second.sequences];
    assert.equal(first.last, first.sequences[1]);
    assert.equal(second.last, second.sequences[0]);
    const records = await stream.read(0, { limit: 10 });
    assert.deepEqual(
      records.map(({ sequence, timeMs, key }) => ({ sequence, timeMs, key })),
      [
        { sequence: sequences[0], timeMs: atMs, key: undefined },
        { sequence: sequences[1], timeMs: atMs, key: 'ä/😀 \0.*>' },
        { sequence: sequences[2], timeMs: atMs + 5, key: '' },
      ],
    );
    assert.deepEqual(
      records.map((record) => [...record.payload]),
      [[...payload], [], [99]],
    );
    const [a = 0, b = 0, c = 0] = sequences;
    assert.ok(0 < a && a < b && b < c);
  });

  it('append() keeps the entries of one append next to each other', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const append = async (writer: number): Promise<void> => {
      for (let n = 0; n < 5; n++) {
        const text = `${writer}-${n}`;
        await stream.append([{ payload: bytes(text) }, { payload: bytes(text) }]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => append(writer)));
    const read = await payloads(stream);
    assert.equal(read.length, 80);
    for (let i = 0; i < read.length; i += 2) assert.equal(read[i], read[i + 1]);
    for (let writer = 0; writer < 8; writer++) {
      const own = read.filter((text) => text.startsWith(`${writer}-`));
      assert.deepEqual(own, [...own].sort());
    }
  });

  it('append() of nothing changes nothing', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    assert.deepEqual(await stream.append([]), { sequences: [], last: 0 });
    const { last } = await stream.append([{ payload: bytes('a') }]);
    assert.deepEqual(await stream.append([]), { sequences: [], last });
  });
}

function testExpectations(open: OpenLog): void {
  it('append() refuses what expects another last sequence, as a whole', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const { last } = await stream.append([{ payload: bytes('a') }], { expectedLast: 0 });
    const entries = [{ payload: bytes('x') }, { payload: bytes('y') }];
    await assert.rejects(stream.append(entries, { expectedLast: 0 }), { code: 'Conflict' });
    await assert.rejects(stream.append(entries, { expectedLast: last + 1 }), { code: 'Conflict' });
    assert.deepEqual(await payloads(stream), ['a']);
    await stream.append([{ payload: bytes('b') }], { expectedLast: last });
    assert.deepEqual(await payloads(stream), ['a', 'b']);
  });

  it('append() lets one of many with the same expectation win', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const { last } = await stream.append([{ payload: bytes('a') }]);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        stream.append([{ payload: bytes(`${n}`) }], { expectedLast: last }),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await payloads(stream)).length, 2);
  });

  it('append() knows the last sequence of a stream whose records are gone', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const { last } = await stream.append([{ payload: bytes('a') }]);
    await stream.trim(last + 1);
    await assert.rejects(stream.append([{ payload: bytes('b') }], { expectedLast: 0 }), {
      code: 'Conflict',
    });
    const after = await stream.append([{ payload: bytes('c') }], { expectedLast: last });
    assert.ok(after.last > last);
  });
}

function testDedupe(open: OpenLog): void {
  it('append() leaves out an id that was appended within the window', async () => {
    const clock = new VirtualClock();
    await using log = await open(clock);
    const stream = await log.stream('trigger/a', { dedupeMs: 60_000 });
    const a = { id: 'a', payload: bytes('a') };
    const b = { id: 'b', payload: bytes('b') };
    const first = await stream.append([a, a, { payload: bytes('-') }]);
    assert.deepEqual(
      first.sequences.map((sequence) => sequence === undefined),
      [false, true, false],
    );
    const second = await stream.append([a, b]);
    assert.equal(second.sequences[0], undefined);
    assert.equal(second.sequences[1], second.last);
    assert.deepEqual(await payloads(stream), ['a', '-', 'b']);
    // Also when the record itself is gone, and when nothing is left to append.
    await stream.trim(second.last + 1);
    assert.deepEqual(await stream.append([b]), { sequences: [undefined], last: second.last });
    await clock.advance(60_000);
    await stream.append([a]);
    assert.deepEqual(await payloads(stream), ['a']);
  });

  it('append() looks at ids by stream, and only where it is told to', async () => {
    await using log = await open(new VirtualClock());
    const one = await log.stream('trigger/one', { dedupeMs: 60_000 });
    const other = await log.stream('trigger/other', { dedupeMs: 60_000 });
    const plain = await log.stream('trigger/plain');
    const entry = { id: 'a', payload: bytes('a') };
    for (const stream of [one, other, plain, plain]) await stream.append([entry]);
    assert.equal((await one.size()).records, 1);
    assert.equal((await other.size()).records, 1);
    assert.equal((await plain.size()).records, 2);
  });

  it('append() lets one of many with the same id in', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('trigger/a', { dedupeMs: 60_000 });
    const append = (n: number) => stream.append([{ id: 'a', payload: bytes(`${n}`) }]);
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => append(n)));
    assert.equal(all.filter(({ sequences: [sequence] }) => sequence !== undefined).length, 1);
    assert.equal((await payloads(stream)).length, 1);
  });
}

function testReads(open: OpenLog): void {
  it('read() starts at a sequence and stops at a count or a size', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const entries = ['aaaa', 'bbbb', 'cccc', 'dddd'].map((text) => ({ payload: bytes(text) }));
    const { sequences, last } = await stream.append(entries);
    const second = sequences[1] ?? 0;
    assert.deepEqual(texts(await stream.read(second, { limit: 2 })), ['bbbb', 'cccc']);
    assert.deepEqual(texts(await stream.read(0, { limit: 9, maxBytes: 5 })), ['aaaa', 'bbbb']);
    assert.deepEqual(texts(await stream.read(second, { limit: 9, maxBytes: 0 })), ['bbbb']);
    assert.deepEqual(await stream.read(last + 1, { limit: 9 }), []);
    assert.deepEqual(await stream.read(Number.MAX_SAFE_INTEGER, { limit: 9 }), []);
    assert.deepEqual(await stream.read(0, { limit: 0 }), []);
  });

  it('read() pages through more records than one read gives', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    for (let page = 0; page < 12; page++) {
      const entries = Array.from({ length: 500 }, (_, n) => ({
        payload: bytes(`${page * 500 + n}`),
      }));
      await stream.append(entries);
    }
    const read = await payloads(stream, { limit: Number.POSITIVE_INFINITY });
    assert.deepEqual(
      read,
      Array.from({ length: 6_000 }, (_, n) => `${n}`),
    );
  });

  it('remove() and trim() take records away for good', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const entries = ['a', 'b', 'c', 'd', 'e'].map((text) => ({ payload: bytes(text) }));
    const { sequences, last } = await stream.append(entries);
    const [first = 0, second = 0, third = 0] = sequences;
    await Promise.all([stream.remove([second]), stream.remove([second, last + 99])]);
    assert.deepEqual(await payloads(stream), ['a', 'c', 'd', 'e']);
    assert.equal((await stream.size()).first, first);
    await stream.trim(third);
    assert.deepEqual(await payloads(stream), ['c', 'd', 'e']);
    const { oldestMs, ...size } = await stream.size();
    assert.deepEqual(size, { records: 3, bytes: 3, first: third, last });
    assert.ok(oldestMs !== undefined);
    await stream.trim(Number.MAX_SAFE_INTEGER);
    const empty = { records: 0, bytes: 0, first: last + 1, last, oldestMs: undefined };
    assert.deepEqual(await stream.size(), empty);
    const after = await stream.append([{ payload: bytes('f') }]);
    assert.ok(after.last > last, 'a sequence never comes back');
  });
}

function testSubscriptions(open: OpenLog): void {
  it('subscribe() wakes those who listen to the stream, until they leave', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('trigger/a');
    const other = await log.stream('trigger/b');
    const calls = { stays: 0, leaves: 0, other: 0 };
    stream.subscribe(() => calls.stays++);
    other.subscribe(() => calls.other++);
    const leave = stream.subscribe(() => calls.leaves++);
    await stream.append([{ payload: bytes('a') }]);
    await eventually(() => calls.stays > 0 && calls.leaves > 0);
    leave();
    leave();
    const before = { ...calls };
    await stream.append([{ payload: bytes('b') }]);
    await eventually(() => calls.stays > before.stays);
    assert.equal(calls.leaves, before.leaves);
    assert.equal(calls.other, 0);
  });
}

function testStreams(open: OpenLog): void {
  it('stream() gives the stream of a name, and streams() the names', async () => {
    await using log = await open(new VirtualClock());
    for (const name of ['trigger/b', 'trigger/ä. *>', 'dead/a']) await log.stream(name);
    assert.deepEqual(await log.streams('trigger/'), ['trigger/b', 'trigger/ä. *>']);
    assert.deepEqual(await log.streams(''), ['dead/a', 'trigger/b', 'trigger/ä. *>']);
    const [one, two] = await Promise.all([log.stream('new'), log.stream('new')]);
    await one.append([{ payload: bytes('a') }]);
    assert.deepEqual(await payloads(two), ['a']);
    assert.equal(one.name, 'new');
  });

  it('stream() keeps the options when it is asked without', async () => {
    await using log = await open(new VirtualClock());
    await log.stream('a', { dedupeMs: 60_000 });
    const stream = await log.stream('a');
    for (let n = 0; n < 2; n++) await stream.append([{ id: 'a', payload: bytes('a') }]);
    assert.equal((await stream.size()).records, 1);
    await log.stream('a', {});
    for (let n = 0; n < 2; n++) await stream.append([{ id: 'a', payload: bytes('a') }]);
    assert.equal((await stream.size()).records, 3);
  });

  it('removeStream() leaves nothing of it, and refuses whoever still holds it', async () => {
    await using log = await open(new VirtualClock());
    const stream = await log.stream('a');
    const kept = await log.stream('ab');
    await kept.append([{ payload: bytes('kept') }]);
    const entry = { payload: bytes('a') };
    await stream.append(Array.from({ length: 2_500 }, () => entry));
    const consumer = await stream.consumer('c');
    await log.removeStream('a');
    await log.removeStream('never there');
    const next = await log.stream('a');
    assert.deepEqual(await payloads(next), []);
    assert.deepEqual(await next.consumers(), []);
    const gone = { code: 'Gone' };
    await assert.rejects(stream.append([entry]), gone);
    await assert.rejects(stream.read(0, { limit: 1 }), gone);
    await assert.rejects(stream.size(), gone);
    await assert.rejects(stream.trim(1), gone);
    await assert.rejects(stream.consumer('c'), gone);
    await assert.rejects(consumer.commit({ cursor: 1 }), gone);
    await next.append([{ payload: bytes('b') }]);
    assert.deepEqual(await payloads(next), ['b']);
    assert.deepEqual(await payloads(kept), ['kept']);
  });
}

function testBounds(open: OpenLog): void {
  it('append() refuses payloads, keys and appends that are too large', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const tooLarge = { code: 'TooLarge' };
    const entry = { payload: bytes('a') };
    await assert.rejects(stream.append([entry, { payload: new Uint8Array(1_040_001) }]), tooLarge);
    await assert.rejects(stream.append([{ ...entry, key: 'ä'.repeat(2_049) }]), tooLarge);
    await assert.rejects(stream.append(Array.from({ length: 4_097 }, () => entry)), tooLarge);
    assert.deepEqual(await payloads(stream), []);
    const key = 'k'.repeat(4_096);
    const payload = new Uint8Array(900_000).fill(7);
    await stream.append([{ key, payload }]);
    const [record] = await stream.read(0, { limit: 1 });
    assert.equal(record?.key, key);
    assert.deepEqual(Buffer.compare(record?.payload ?? bytes(''), payload), 0);
  });

  it('append() takes the largest payload, and what appendParts() makes of many', async () => {
    const { log, stream } = await openStream(open);
    await using _ = log;
    const largest = { id: 'i', payload: new Uint8Array(1_040_000) };
    await stream.append([largest]);
    const sizes = [700_000, 700_000, 300_000, ...Array.from({ length: 60 }, () => 300_000)];
    const entries = sizes.map((size, n) => ({ id: `${n}`, payload: new Uint8Array(size) }));
    const bounds = { bytesMax: stream.appendBytesMax };
    for (const part of appendParts(entries, (entry) => entry, bounds)) await stream.append(part);
    const kept = (await readAll(stream)).map(({ payload }) => payload.length);
    assert.deepEqual(kept, [largest.payload.length, ...sizes]);
  });
}

function testLifecycle(open: OpenLog): void {
  it('close() keeps its promise to those who wait, and refuses what comes later', async () => {
    const { log, stream } = await openStream(open);
    const consumer = await stream.consumer('c');
    const waiting = stream.append([{ payload: bytes('a') }]);
    await log.close();
    await log.close();
    await waiting;
    const closed = { code: 'Closed' };
    await assert.rejects(stream.append([{ payload: bytes('b') }]), closed);
    await assert.rejects(stream.read(0, { limit: 1 }), closed);
    await assert.rejects(stream.size(), closed);
    await assert.rejects(stream.remove([1]), closed);
    await assert.rejects(consumer.commit({ cursor: 1 }), closed);
    await assert.rejects(log.stream('x'), closed);
    await assert.rejects(log.streams(''), closed);
    await assert.rejects(log.removeStream('trigger/a'), closed);
  });
}
