// KinesisTriggers of Kubeless against a whole API. What runs Triggers is played by the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinesisTriggerType } from '@fnlet/api/kubeless';
import { KubelessWorld } from './kubeless-world.ts';

const name = 'clicks';
const key = { namespace: 'default', name };
const ready = {
  status: 'True',
  reason: 'Ready',
  message: 'Events are delivered to hello',
} as const;
const stream = {
  ...{ 'function-name': 'hello', 'aws-region': 'eu-central-1', secret: 'aws', stream: 'clicks' },
  shard: 'shardId-000000000000',
};

test('a KinesisTrigger has a Trigger, shows what becomes of it, and goes with its function', async () => {
  await using world = await KubelessWorld.start();
  await world.createFunction('hello');
  await world.apply(kinesisTriggerType, { name }, { ...stream, endpoint: '' });
  const { spec } = await world.triggers.get({ ...key, name: 'clicks.kinesis' });
  const kinesis = { stream: 'clicks', region: 'eu-central-1', secret: 'aws', from: 'newest' };
  const { shard } = stream;
  const record = { exact: { type: 'dev.fnlet.kinesis.record' } };
  assert.deepEqual(spec, {
    source: { kinesis },
    filters: [{ any: [{ exact: { subject: shard } }, { not: record }] }],
    target: { function: 'hello' },
    delivery: { format: 'kubeless' },
  });
  await world.play('clicks.kinesis', ready, { lag: 4 });
  const [status, , message] = await world.ready(kinesisTriggerType, name);
  assert.equal(status, 'True');
  assert.match(message ?? '', /hello\. Only shard shardId-0+ is read: with shard "\*" all are/);
  assert.equal((await world.of(key, kinesisTriggerType))?.status?.lag, 4);
  await world.apply(kinesisTriggerType, { name }, { ...stream, shard: '*', endpoint: 'nowhere' });
  assert.deepEqual((await world.ready(kinesisTriggerType, name)).slice(0, 2), [
    ...['False', 'InvalidSpec'],
  ]);
  await world.apply(kinesisTriggerType, { name }, { ...stream, shard: '*', endpoint: '' });
  const all = await world.triggers.get({ ...key, name: 'clicks.kinesis' });
  assert.equal(all.spec.filters, undefined);
  await world.functions.delete({ namespace: 'default', name: 'hello' });
  await world.cluster.settle();
  assert.equal(await world.of(key, kinesisTriggerType), undefined);
  assert.deepEqual(await world.names(), []);
});
