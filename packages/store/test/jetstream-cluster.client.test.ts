// The log in JetStream, kept by three servers of which any one may go.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { VirtualClock } from '@fnlet/base';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type Log, openJetStreamLog } from '../src/log.ts';
import { testLogContract } from './log-contract.ts';
import { bytes, payloads } from './log-reading.ts';
import { NatsCluster } from './nats-cluster.ts';
import { findNatsPrograms, type NatsProgram } from './nats-server.ts';

const programs = findNatsPrograms();
if (programs.length === 0) {
  describe('openJetStreamLog()', { skip: 'no nats-server is on this machine' }, () => {});
}
for (const program of programs) {
  // One cluster at a time: each is three processes that vote.
  let cluster: Promise<NatsCluster> | undefined;
  let logs = 0;
  const name = `openJetStreamLog() with three nats-servers ${program.version}`;
  testLogContract(name, async (clock) => {
    cluster ??= NatsCluster.start(program);
    return openOnTestClock(await cluster, `contract-${logs++}`, clock);
  });
  describe(`three nats-servers ${program.version}`, () => {
    before(async () => (await cluster)?.[Symbol.asyncDispose]());
    testDeaths(program);
  });
}

function openLog(cluster: NatsCluster, more: object = {}): Promise<Log> {
  // A cluster that has just begun has nobody yet who could make a stream.
  const options = { servers: cluster.urls, replicas: 3, ...more };
  return eventually(() => openJetStreamLog(options));
}

/** What was refused is tried again after a while: on a clock that stands, never. */
async function openOnTestClock(
  cluster: NatsCluster,
  name: string,
  clock: VirtualClock,
): Promise<Log> {
  await using log = await openLog(cluster, { name });
  await log.stream('first');
  await log.removeStream('first');
  return openLog(cluster, { name, clock });
}

/** Tries until there is an answer; an election takes seconds, on a busy machine many. */
async function eventually<T>(ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  const endMs = performance.now() + 150_000;
  let trouble: unknown;
  while (performance.now() < endMs) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (error) {
      trouble = error;
    }
    await setTimeout(20);
  }
  throw new Error('Waited in vain for the cluster', { cause: trouble });
}

/** Index of the server that leads the stream of the log. */
async function leaderOf(cluster: NatsCluster): Promise<number | undefined> {
  const connection = await connect({ servers: [...cluster.urls] });
  try {
    const manager = await jetstreamManager(connection);
    const { cluster: group } = await manager.streams.info('fnlet-log');
    const [, index] = /^s(\d)$/.exec(group?.leader ?? '') ?? [];
    return index === undefined ? undefined : Number(index);
  } finally {
    await connection.close();
  }
}

function testDeaths(program: NatsProgram): void {
  it('lose any one of them, also the leader, and neither lose nor double a record', async () => {
    await using cluster = await NatsCluster.start(program);
    await using log = await openLog(cluster);
    assert.equal(log.durability, 'replicated');
    const stream = await log.stream('x', { dedupeMs: 600_000 });
    const consumer = await stream.consumer('c');
    let isDone = false;
    const acknowledged: string[] = [];
    const commit = async (cursor: number): Promise<true> => {
      await consumer.commit({ cursor });
      return true;
    };
    const append = async (writer: number): Promise<void> => {
      for (let n = 0; !isDone; n++) {
        const text = `${writer}/${n}`;
        // What an election outlasts is tried again, with its id: it may have arrived.
        const record = { id: text, payload: bytes(text) };
        const { last } = await eventually(() => stream.append([record]));
        acknowledged.push(text);
        if (writer === 0) await eventually(() => commit(last));
      }
    };
    const writers = Array.from({ length: 4 }, (_, writer) => append(writer));
    const goesOn = async (): Promise<void> => {
      const before = acknowledged.length;
      await eventually(() => acknowledged.length > before + 50);
    };
    for (const round of [0, 1, 2, 3]) {
      await goesOn();
      const leader = await eventually(() => leaderOf(cluster));
      // The leader, and then one of the others.
      const server = cluster.servers[(leader + (round % 2)) % cluster.servers.length];
      await server?.stop('SIGKILL');
      await goesOn();
      await server?.start();
    }
    await goesOn();
    isDone = true;
    await Promise.all(writers);
    const found = await payloads(stream);
    assert.deepEqual([...found].sort(), [...acknowledged].sort());
    assert.equal((await stream.size()).records, acknowledged.length);
  });

  it('are all killed at once, and what was acknowledged is there', async () => {
    await using cluster = await NatsCluster.start(program);
    await using log = await openLog(cluster);
    const stream = await log.stream('x');
    const texts = Array.from({ length: 100 }, (_, n) => `${n}`);
    for (const text of texts) await stream.append([{ payload: bytes(text) }]);
    await Promise.all(cluster.servers.map((server) => server.stop('SIGKILL')));
    await Promise.all(cluster.servers.map((server) => server.start()));
    await eventually(() => stream.append([{ payload: bytes('more') }]));
    // A server that is still catching up may not answer at first.
    const found = await eventually(() => payloads(stream));
    assert.deepEqual(found.slice(0, texts.length), texts);
  });
}
