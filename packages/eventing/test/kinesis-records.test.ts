// Records of Kinesis as events, on the test's clock, from a cloud in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KinesisSource } from '@fnlet/api';
import { VirtualClock } from '@fnlet/base';
import { KinesisRecords } from '../src/sources/kinesis/kinesis-records.ts';
import { KinesisCloud } from './kinesis-cloud.ts';
import { SourceDesk } from './source-desk.ts';

const spec: KinesisSource = {
  stream: 'orders',
  region: 'eu-central-1',
  from: 'oldest',
  secret: 'aws',
};

class KinesisWorld {
  readonly clock: VirtualClock = new VirtualClock();
  readonly cloud: KinesisCloud;
  readonly desk: SourceDesk = new SourceDesk(this.clock);
  #stop = new AbortController();
  #run: Promise<void> = Promise.resolve();

  constructor(shards = 1) {
    this.cloud = new KinesisCloud(this.clock, shards);
    this.desk.secrets = {
      'aws/aws_access_key_id': 'AKID',
      'aws/aws_secret_access_key': 'SECRET',
    };
  }

  async start(more: Partial<KinesisSource> = {}): Promise<void> {
    const { cloud: port, desk: context } = this;
    this.#stop = new AbortController();
    const source = new KinesisRecords({ spec: { ...spec, ...more }, context, port });
    this.#run = source.run(this.#stop.signal);
    this.#run.catch(() => {});
    await this.clock.advance(100);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }

  /** Rejects with what ended it. */
  get ended(): Promise<void> {
    return this.#run;
  }

  get reads(): number {
    return this.cloud.asked.filter(({ operation }) => operation === 'GetRecords').length;
  }
}

test('records are events with their key, and those that carry an event are it', async () => {
  const world = new KinesisWorld();
  const { cloud, desk } = world;
  const id = cloud.put('ada', '{"n":1}');
  cloud.put(
    'ada',
    JSON.stringify({ specversion: '1.0', id: '8', source: '/s', type: 't', data: 5 }),
  );
  cloud.put('a\u0000', JSON.stringify({ specversion: '1.0', note: 'no event' }));
  cloud.put('ada', Buffer.from([0xff, 0xfe]));
  await world.start();
  await world.stop();
  const [first, second, third, fourth] = desk.events.map(({ attributes }) => attributes);
  const { time, ...others } = first ?? assert.fail('no event');
  assert.equal(time, '2026-01-01T00:00:00.000Z');
  assert.deepEqual(others, {
    specversion: '1.0',
    id,
    source: '/apis/fnlet.dev/v1alpha1/namespaces/default/triggers/orders#orders',
    type: 'dev.fnlet.kinesis.record',
    subject: 'shardId-000000000000',
    datacontenttype: 'application/json',
    partitionkey: 'ada',
  });
  assert.deepEqual([second?.id, second?.type, second?.partitionkey], ['8', 't', 'ada']);
  assert.deepEqual([third?.type, third?.partitionkey], ['dev.fnlet.kinesis.record', 'YQA=']);
  assert.equal(fourth?.datacontenttype, 'application/octet-stream');
  assert.deepEqual(desk.events[3]?.data, Buffer.from([0xff, 0xfe]));
});

test('a place is behind what is kept, and a restart goes on there', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  cloud.put('k', '1');
  const kept = Promise.withResolvers<void>();
  desk.gate = kept.promise;
  await world.start();
  await clock.advance(5_000);
  assert.deepEqual((await desk.checkpoint.load())?.shards, { 'shardId-000000000000': 'oldest' });
  kept.resolve();
  await clock.advance(5_000);
  assert.match(JSON.stringify(await desk.checkpoint.load()), /after 4959/);
  await world.stop();
  cloud.put('k', '2');
  await world.start();
  await world.stop();
  assert.deepEqual(desk.bodies, ['1', '2']);
});

test('newest begins with what comes after the start, though nothing came before a restart', async () => {
  const world = new KinesisWorld(2);
  const { cloud, desk, clock } = world;
  cloud.put('a', 'before');
  cloud.split('shardId-000000000000');
  await clock.advance(10_000);
  await world.start({ from: 'newest' });
  await world.stop();
  await clock.advance(1_000);
  cloud.put('a', '1');
  cloud.put('c', '2');
  await world.start({ from: 'newest' });
  await clock.advance(5_000);
  assert.deepEqual([...desk.bodies].sort(), ['1', '2']);
  await world.stop();
});

test('a stream that newest finds missing is read from its beginning', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  cloud.trouble = () => 'ResourceNotFoundException';
  await world.start({ from: 'newest' });
  await assert.rejects(world.ended, { code: 'Unreachable' });
  cloud.trouble = () => undefined;
  cloud.put('a', 'first');
  await world.start({ from: 'newest' });
  await clock.advance(5_000);
  await world.stop();
  assert.deepEqual(desk.bodies, ['first']);
  assert.deepEqual(desk.told, []);
});

test('a time begins with the records from then on', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  cloud.put('a', 'before');
  await clock.advance(60_000);
  const from = new Date(clock.now()).toISOString();
  cloud.put('a', '1');
  await world.start({ from });
  await world.stop();
  assert.deepEqual(desk.bodies, ['1']);
});

test('children are read when their parents are, and so keys keep their order', async () => {
  const world = new KinesisWorld(2);
  const { cloud, desk, clock } = world;
  const put = (round: number): void => {
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) cloud.put(key, `${key}${round}`);
  };
  put(1);
  cloud.split('shardId-000000000000');
  put(2);
  cloud.merge('shardId-000000000003', 'shardId-000000000001');
  put(3);
  await world.start();
  await clock.advance(10_000);
  cloud.split('shardId-000000000004');
  put(4);
  await clock.advance(10_000);
  await world.stop();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const rounds = desk.bodies.filter((body) => body.startsWith(key));
    assert.deepEqual(
      rounds,
      [1, 2, 3, 4].map((round) => `${key}${round}`),
    );
  }
  assert.equal(desk.bodies.length, 24);
});

test('a parent whose records are not kept yet holds its children back', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  cloud.put('a', 'parent');
  cloud.split('shardId-000000000000');
  cloud.put('a', 'child');
  const kept = Promise.withResolvers<void>();
  desk.gate = kept.promise;
  await world.start();
  await clock.advance(60_000);
  const read = cloud.asked.filter(({ operation }) => operation === 'GetShardIterator');
  assert.deepEqual(
    read.map(({ body }) => body.ShardId),
    ['shardId-000000000000'],
  );
  kept.resolve();
  await clock.advance(5_000);
  await world.stop();
  assert.deepEqual(desk.bodies, ['parent', 'child']);
});

test('a place that has expired is asked for again', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  cloud.put('a', '1');
  const kept = Promise.withResolvers<void>();
  desk.gate = kept.promise;
  await world.start();
  // So long nothing is taken; what was to be read next counts for five minutes.
  await clock.advance(360_000);
  cloud.put('a', '2');
  desk.gate = undefined;
  kept.resolve();
  await clock.advance(5_000);
  await world.stop();
  assert.deepEqual(desk.bodies, ['1', '2']);
});

test('a shard is read as often as it allows, and one that is refused waits longer and longer', async () => {
  const world = new KinesisWorld(2);
  const { cloud, desk, clock } = world;
  for (let each = 0; each < 20_000; each++) cloud.put(`${each % 7}`, `${each}`);
  let refusals = 0;
  cloud.trouble = () => {
    return undefined;
  };
  await world.start();
  await clock.advance(4_000);
  assert.equal(desk.bodies.length, 20_000);
  const before = world.reads;
  await clock.advance(60_000);
  assert.equal(world.reads - before, 120, 'a shard that has nothing is read once a second');
  cloud.trouble = (operation) => {
    if (operation !== 'GetRecords') return undefined;
    refusals++;
    return 'ProvisionedThroughputExceededException';
  };
  await clock.advance(60_000);
  assert.ok(refusals < 2 * 20, `${refusals} refusals in a minute`);
  assert.match(desk.state?.trouble ?? '', /Others read 2 shards/);
  assert.equal(desk.state?.connected, true);
  cloud.trouble = () => undefined;
  cloud.put('k', 'last');
  await clock.advance(15_000);
  assert.equal(desk.bodies.at(-1), 'last');
  assert.equal(desk.state?.trouble, undefined);
  await world.stop();
});

test('who does not answer is asked again, and then ends the source', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  let left = 2;
  cloud.trouble = () => (left-- > 0 ? 'InternalFailure' : undefined);
  cloud.put('a', '1');
  await world.start();
  await clock.advance(5_000);
  assert.deepEqual(desk.bodies, ['1']);
  cloud.trouble = () => 'no answer';
  await clock.advance(120_000);
  await assert.rejects(world.ended, { code: 'Unreachable', message: /no answer within/ });
});

test('who is not let in is told why', async () => {
  const world = new KinesisWorld();
  world.cloud.trouble = () => 'AccessDeniedException';
  await world.start();
  await assert.rejects(world.ended, { code: 'Forbidden', message: /AccessDeniedException/ });
  world.desk.secrets = {};
  await world.start();
  await assert.rejects(world.ended, { code: 'Forbidden', message: /aws_access_key_id/ });
});

test('a clock that is wrong does not keep it out', async () => {
  const world = new KinesisWorld();
  world.cloud.skewMs = 3_600_000;
  world.cloud.put('a', '1');
  await world.start();
  await world.stop();
  assert.deepEqual(world.desk.bodies, ['1']);
});

test('records that Kinesis has dropped are told, and what is left is read', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  cloud.put('a', '1');
  await world.start();
  await world.stop();
  cloud.put('a', 'lost');
  cloud.split('shardId-000000000000');
  cloud.trim();
  cloud.put('a', '2');
  await world.start();
  await clock.advance(5_000);
  await world.stop();
  assert.deepEqual(desk.told, ['RecordsExpired']);
  assert.deepEqual(desk.bodies, ['1', '2']);
});

test('a stream that is made anew is read from its beginning, another one as the Trigger says', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  await world.start({ from: 'newest' });
  await world.stop();
  await clock.advance(1_000);
  cloud.replace(1);
  cloud.put('a', '1');
  await world.start({ from: 'newest' });
  await world.stop();
  assert.deepEqual(desk.told, ['StreamReplaced']);
  assert.deepEqual(desk.bodies, ['1']);
  await world.start({ from: 'newest', stream: 'others' });
  await world.stop();
  assert.deepEqual(desk.bodies, ['1']);
});

test('a stream of another endpoint is begun as the Trigger says, unless it is the same', async () => {
  const world = new KinesisWorld();
  const { cloud, desk, clock } = world;
  await world.start({ from: 'newest' });
  cloud.put('a', '1');
  await clock.advance(2_000);
  await world.stop();
  cloud.put('a', '2');
  await world.start({ from: 'newest', endpoint: 'http://private' });
  await world.stop();
  assert.deepEqual(desk.bodies, ['1', '2']);
  await clock.advance(1_000);
  cloud.replace(1);
  cloud.put('a', 'old');
  await world.start({ from: 'newest', endpoint: 'http://other' });
  cloud.put('a', '3');
  await clock.advance(2_000);
  await world.stop();
  assert.deepEqual(desk.told, []);
  assert.deepEqual(desk.bodies, ['1', '2', '3']);
});
