import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { type Log, openJetStreamLog } from '../src/log.ts';
import { bytes, eventually, payloads, readAll } from './log-reading.ts';
import { findNatsPrograms, NatsServer } from './nats-server.ts';

const programs = findNatsPrograms();
if (programs.length === 0) {
  describe('openJetStreamLog()', { skip: 'no nats-server is on this machine' }, () => {});
}
for (const program of programs) {
  const server = await NatsServer.start(program);
  after(() => server[Symbol.asyncDispose]());
  describe(`several processes and nats-server ${program.version}`, () => testProcesses(server));
}

/** As two processes have it: with nothing in common but the server. */
async function openTwice(server: NatsServer): Promise<readonly [Log, Log]> {
  const options = { servers: [server.url], name: `shared-${randomUUID()}` };
  return [await openJetStreamLog(options), await openJetStreamLog(options)];
}

function testProcesses(server: NatsServer): void {
  testAppends(server);
  testReaders(server);
  testConsumers(server);
}

function testAppends(server: NatsServer): void {
  it('append to one stream, and each id comes in once', async () => {
    const [a, b] = await openTwice(server);
    await using _a = a;
    await using _b = b;
    const streams = await Promise.all([a, b].map((log) => log.stream('x', { dedupeMs: 600_000 })));
    let accepted = 0;
    const append = async (writer: number): Promise<void> => {
      for (let n = 0; n < 20; n++) {
        const stream = streams[writer % 2];
        const entry = { id: `id-${n}`, payload: bytes(`${n}`) };
        const appended = await stream?.append([entry, { payload: bytes(`${writer}/${n}`) }]);
        if (appended?.sequences[0] !== undefined) accepted++;
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, writer) => append(writer)));
    assert.equal(accepted, 20);
    for (const stream of streams) {
      const records = await payloads(stream);
      assert.equal(records.length, 140);
      assert.equal(new Set(records).size, 140);
      assert.equal((await stream.size()).records, 140);
    }
  });

  it('know the ids of another one that has ended, also of records that are gone', async () => {
    const [a, b] = await openTwice(server);
    await using _b = b;
    const first = await a.stream('x', { dedupeMs: 600_000 });
    for (const id of ['1', '2', '3']) await first.append([{ id, payload: bytes(id) }]);
    await first.trim(Number.MAX_SAFE_INTEGER);
    const { last } = await first.size();
    await a.close();
    const second = await b.stream('x');
    for (const id of ['1', '2', '3']) {
      const appended = await second.append([{ id, payload: bytes('again') }]);
      assert.deepEqual(appended, { sequences: [undefined], last });
    }
    assert.deepEqual(await payloads(second), []);
    assert.ok((await second.append([{ id: '4', payload: bytes('4') }])).last > last);
  });
}

function testReaders(server: NatsServer): void {
  it('wake each other, and see what another took away', async () => {
    const [a, b] = await openTwice(server);
    await using _a = a;
    await using _b = b;
    const writer = await a.stream('x');
    const reader = await b.stream('x');
    let wakes = 0;
    reader.subscribe(() => wakes++);
    // A subscription holds once the server has it.
    await reader.size();
    await writer.append([{ payload: bytes('1') }, { payload: bytes('2') }]);
    await eventually(() => wakes > 0);
    const [one, two] = await readAll(reader);
    await writer.remove([one?.sequence ?? 0]);
    await reader.remove([two?.sequence ?? 0]);
    await writer.append([{ payload: bytes('3') }]);
    assert.deepEqual(await payloads(reader), ['3']);
    assert.equal((await reader.size()).records, 1);
  });

  it('open a stream anew when another one has removed it', async () => {
    const [a, b] = await openTwice(server);
    await using _a = a;
    await using _b = b;
    const old = await a.stream('x');
    await old.append([{ payload: bytes('old') }]);
    await b.removeStream('x');
    assert.deepEqual(await a.streams(''), []);
    const anew = await a.stream('x');
    assert.deepEqual(await payloads(anew), []);
    await assert.rejects(old.append([{ payload: bytes('late') }]), { code: 'Gone' });
  });
}

function testConsumers(server: NatsServer): void {
  it('take a consumer over from each other, with everything that is outstanding', async () => {
    const [a, b] = await openTwice(server);
    await using _a = a;
    await using _b = b;
    const { last } = await (await a.stream('x')).append([{ payload: bytes('1') }]);
    const old = await (await a.stream('x')).consumer('c');
    const state = bytes('attempt 1');
    await old.commit({ cursor: last, outstanding: [{ sequence: last, state }] });
    const taken = await (await b.stream('x')).consumer('c');
    assert.equal(taken.cursor, last);
    const outstanding = await Array.fromAsync(taken.outstanding());
    assert.deepEqual(
      outstanding.map((one) => [one.sequence, Buffer.from(one.state).toString()]),
      [[last, 'attempt 1']],
    );
    await taken.commit({ settled: [last] });
    await assert.rejects(old.commit({ cursor: last }), { code: 'Conflict' });
    await assert.rejects(old.commit({ cursor: last }), { code: 'Conflict' });
    assert.deepEqual(await Array.fromAsync(taken.outstanding()), []);
  });

  it('find a consumer again after more changes than are kept', async () => {
    const [a, b] = await openTwice(server);
    await using _b = b;
    const consumer = await (await a.stream('x')).consumer('c');
    const state = new Uint8Array(2_000).fill(7);
    // Everything at once takes several messages.
    for (let n = 1; n <= 700; n++) {
      await consumer.commit({
        cursor: n,
        outstanding: [{ sequence: n, state }],
        settled: [Math.max(0, n - 10)],
      });
    }
    const many = Array.from({ length: 400 }, (_, n) => ({ sequence: 1_000 + n, state }));
    for (let n = 0; n < 3; n++)
      await consumer.commit({
        outstanding: many.map((one) => ({ ...one, sequence: one.sequence + 400 * n })),
      });
    for (let n = 0; n < 300; n++) await consumer.commit({ cursor: 5_000 + n });
    await a.close();
    const found = await (await b.stream('x')).consumer('c');
    assert.equal(found.cursor, 5_299);
    const sequences = (await Array.fromAsync(found.outstanding())).map(({ sequence }) => sequence);
    const expected = [
      ...Array.from({ length: 10 }, (_, n) => 691 + n),
      ...Array.from({ length: 1_200 }, (_, n) => 1_000 + n),
    ];
    assert.deepEqual(sequences, expected);
  });
}
