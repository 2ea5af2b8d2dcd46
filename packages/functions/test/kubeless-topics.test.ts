// KafkaTriggers and NATSTriggers of Kubeless against a whole API. What runs Triggers is played.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { triggerType } from '@fnlet/api';
import { kafkaTriggerType, kubelessFunctionType, natsTriggerType } from '@fnlet/api/kubeless';
import { KubelessWorld } from './kubeless-world.ts';

const name = 'orders';
const key = { namespace: 'default', name };
const ready = { status: 'True', reason: 'Ready', message: 'Events are delivered' } as const;
const selected = { topic: 'orders', functionSelector: { matchLabels: { shop: 'yes' } } };
const shop = { shop: 'yes' };

test('a KafkaTrigger has a Trigger for each function with its labels, as these come and go', async () => {
  await using world = await KubelessWorld.start();
  await world.apply(kafkaTriggerType, { name }, selected);
  assert.deepEqual((await world.ready(kafkaTriggerType, name)).slice(0, 2), [
    ...['False', 'NoFunctions'],
  ]);
  await world.createFunction('bill', shop);
  await world.createFunction('pack', { shop: 'no' });
  assert.deepEqual(await world.names(), ['orders.kafka.bill']);
  const { metadata, spec } = await world.triggers.get({ ...key, name: 'orders.kafka.bill' });
  assert.equal(metadata.ownerReferences?.[0]?.kind, 'KafkaTrigger');
  assert.deepEqual(spec, {
    source: {
      kafka: {
        ...{ servers: ['one:9092', 'two:9092'], topics: ['orders'], from: 'newest' },
        consumerGroup: 'default_orders_bill_orders',
      },
    },
    target: { function: 'bill' },
    delivery: { format: 'kubeless' },
  });
  await world.createFunction('pack', shop);
  assert.deepEqual(await world.names(), ['orders.kafka.bill', 'orders.kafka.pack']);
  await world.play('orders.kafka.bill', ready, { lag: 2, deadLetters: 1 });
  assert.equal((await world.ready(kafkaTriggerType, name))[0], 'Unknown');
  await world.play('orders.kafka.pack', ready, { lag: 3, lastEventTime: '2026-03-01T10:00:00Z' });
  assert.deepEqual(await world.ready(kafkaTriggerType, name), [
    ...['True', 'Ready', 'Messages of orders are delivered to bill, pack'],
  ]);
  const { status } = (await world.of(key, kafkaTriggerType)) ?? {};
  assert.deepEqual(
    [status?.functions, status?.lag, status?.deadLetters, status?.lastEventTime],
    [2, 5, 1, '2026-03-01T10:00:00Z'],
  );
  const down = { status: 'False', reason: 'TargetDown', message: 'pack does not answer' } as const;
  await world.play('orders.kafka.pack', down);
  assert.deepEqual(await world.ready(kafkaTriggerType, name), [
    ...['False', 'TargetDown', 'orders.kafka.pack: pack does not answer'],
  ]);
  // It outlives its functions, as in Kubeless.
  const functions = world.cluster.client.of(kubelessFunctionType);
  await functions.delete({ namespace: 'default', name: 'pack' });
  await world.cluster.settle();
  assert.deepEqual(await world.names(), ['orders.kafka.bill']);
  await world.apply(kafkaTriggerType, { name }, { ...selected, topic: 'others' });
  const edited = await world.triggers.get({ ...key, name: 'orders.kafka.bill' });
  assert.deepEqual(edited.spec.source.kafka?.topics, ['others']);
  await world.cluster.client.of(kafkaTriggerType).delete(key);
  await world.cluster.settle();
  assert.deepEqual(await world.names(), []);
});

test('a NATSTrigger without a selector takes all functions of its namespace', async () => {
  await using world = await KubelessWorld.start();
  await world.createFunction('bill');
  await world.createFunction('pack');
  await world.apply(natsTriggerType, { name }, { topic: 'orders.*' });
  assert.deepEqual(await world.names(), ['orders.nats.bill', 'orders.nats.pack']);
  const { spec } = await world.triggers.get({ ...key, name: 'orders.nats.pack' });
  assert.deepEqual(spec.source.nats, {
    ...{ servers: ['nats://one:4222'], subject: 'orders.*', from: 'newest' },
    queueGroup: 'default_orders_pack_orders._',
  });
});

test('what no Trigger can be leaves what is there as it is, and a foreign one is left alone', async () => {
  await using world = await KubelessWorld.start();
  await world.createFunction('bill');
  await world.createFunction('pack');
  const own = { source: { http: {} }, target: { function: 'other' } };
  const taken = { namespace: 'default', name: 'orders.nats.bill' };
  const { group, version, kind } = triggerType;
  await world.triggers.create(
    Object({ apiVersion: `${group}/${version}`, kind, metadata: taken, spec: own }),
  );
  await world.apply(natsTriggerType, { name }, { topic: 'orders' });
  const [status, reason, message] = await world.ready(natsTriggerType, name);
  assert.deepEqual([status, reason], ['False', 'NameTaken']);
  assert.match(message ?? '', /^Trigger "orders\.nats\.bill" of fnlet\.dev exists and belongs to/);
  assert.deepEqual((await world.triggers.get(taken)).spec, own);
  // The others are there all the same.
  assert.deepEqual(await world.names(), ['orders.nats.bill', 'orders.nats.pack']);
  await world.apply(natsTriggerType, { name }, { topic: 'two words' });
  assert.deepEqual((await world.ready(natsTriggerType, name)).slice(0, 2), [
    ...['False', 'InvalidSpec'],
  ]);
  assert.deepEqual(await world.names(), ['orders.nats.bill', 'orders.nats.pack']);
  await world.apply(natsTriggerType, { name }, { topic: 'orders' });
  await world.triggers.delete(taken);
  await world.cluster.settle();
  assert.deepEqual((await world.triggers.get(taken)).spec.target, { function: 'bill' });
});
