import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import { brokerStream } from '../src/broker/broker-stream.ts';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { formatBatch, formatBinary, formatStructured } from '../src/event/http-event.ts';
import { BrokerWorld } from './broker-world.ts';

function event(id: string): CloudEvent {
  return {
    attributes: { specversion: '1.0', id, source: '/shop', type: 'order' },
    data: Buffer.from(id),
  };
}

function ids(events: readonly CloudEvent[]): readonly string[] {
  return events.map(({ attributes }) => attributes.id);
}

const service = 'orders-broker.default';
const eventType = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

test('a Broker says where it is reached, and keeps what is sent there before it says so', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  assert.equal(broker.status?.address?.url, 'http://orders-broker.default.svc.cluster.local/');
  assert.equal(findCondition(broker.status?.conditions, 'Ready')?.status, 'True');
  const answers = [
    await world.send(service, formatBinary(event('1'))),
    await world.send(service, formatStructured(event('2'))),
    await world.send(service, formatBatch([event('3'), event('4')])),
  ];
  assert.deepEqual(
    answers.map((answer) => answer?.status),
    [202, 202, 202],
  );
  assert.equal(answers[2]?.body, '{"ids":["3","4"]}\n');
  const kept = await world.kept(broker);
  assert.deepEqual(ids(kept), ['1', '2', '3', '4']);
  assert.equal(Buffer.from(kept[0]?.data ?? []).toString(), '1');
});

test('a Broker has a Service, which leads to the Gateway and is made again when it is gone', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  const key = { namespace: 'default', name: 'orders-broker' };
  const { metadata, spec } = await world.servicesOf.get(key);
  assert.deepEqual(spec, {
    ...spec,
    type: 'ExternalName',
    externalName: 'gateway.fnlet-system.svc.cluster.local',
  });
  assert.equal(metadata.ownerReferences?.[0]?.uid, broker.metadata.uid);
  const addressable = findCondition(broker.status?.conditions, 'Addressable');
  assert.equal(addressable?.status, 'True');
  const writes = world.cluster.writes.entries.length;
  await world.restart();
  assert.equal(world.cluster.writes.entries.length, writes, 'a restart writes nothing');
  await world.servicesOf.delete(key);
  await world.restart();
  assert.equal((await world.servicesOf.get(key)).spec.type, 'ExternalName');
});

test('a Service of the name that is not the Broker’s stays as it is', async () => {
  await using world = await BrokerWorld.start();
  const metadata = { namespace: 'default', name: 'orders-broker' };
  const spec = { ports: [{ port: 80, protocol: 'TCP', name: 'http' }] };
  await world.servicesOf.create(Object({ apiVersion: 'v1', kind: 'Service', metadata, spec }));
  const broker = await world.create('orders');
  const addressable = findCondition(broker.status?.conditions, 'Addressable');
  assert.equal(`${addressable?.status} ${addressable?.reason}`, 'False NoService');
  assert.equal((await world.send(service, formatBinary(event('1'))))?.status, 202);
  assert.notEqual((await world.servicesOf.get(metadata)).spec.type, 'ExternalName');
  await world.servicesOf.delete(metadata);
  await world.cluster.advance('10s');
  const later = findCondition((await world.get('orders')).status?.conditions, 'Addressable');
  assert.equal(later?.status, 'True');
});

test('an event that is sent again is accepted and not kept twice', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  for (let time = 0; time < 2; time++) {
    assert.equal((await world.send(service, formatBinary(event('1'))))?.status, 202);
  }
  assert.deepEqual(ids(await world.kept(broker)), ['1']);
});

test('senders are told what is wrong with what they sent', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  const ask = async (headers: Readonly<Record<string, string>>, body = ''): Promise<string> => {
    const answer = await world.send(service, { headers, body: Buffer.from(body) });
    return `${answer?.status} ${answer?.body}`;
  };
  assert.match(await ask({ 'content-type': 'application/json' }, '{}'), /^400 .*ce-specversion/);
  assert.match(
    await ask({ 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': 'a b' }),
    /^400 .*attribute \\"source\\" of event: found \\"a b\\"/,
  );
  assert.match(await ask({ 'content-type': 'application/cloudevents+avro' }), /^415 /);
  const batch = { 'content-type': 'application/cloudevents-batch+json' };
  assert.match(await ask(batch, `[${Array(1_001).fill('{}').join()}]`), /^413 /);
  const large = { ...event('1'), data: Buffer.alloc(1_000_001) };
  assert.equal((await world.send(service, formatBinary(large)))?.status, 413);
  assert.deepEqual(await world.kept(broker), []);
});

test('of a batch all events are kept or none', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  const wrong = { ...event('2'), data: Buffer.alloc(1_000_001) };
  const answer = await world.send(service, formatBatch([event('1'), wrong]));
  assert.equal(answer?.status, 413);
  assert.deepEqual(await world.kept(broker), []);
});

test('who asks whether events may be sent is told', async () => {
  await using world = await BrokerWorld.start();
  await world.create('orders');
  const headers = { 'WebHook-Request-Origin': 'events.example.com', 'WebHook-Request-Rate': '9' };
  const answer = await world.send(service, { headers }, { method: 'OPTIONS' });
  assert.equal(answer?.status, 200);
  assert.deepEqual(Object.fromEntries(answer?.headers ?? []), {
    Allow: 'POST, OPTIONS',
    'WebHook-Allowed-Origin': 'events.example.com',
    'WebHook-Allowed-Rate': '*',
  });
  assert.equal((await world.send(service, {}, { method: 'GET' }))?.status, 405);
  assert.equal((await world.send(service, {}, { target: '/other' }))?.status, 404);
});

test('the paths of the ingress of Knative lead to Brokers, too', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  const knative = 'broker-ingress.knative-eventing';
  const at = (target: string) => world.send(knative, formatBinary(event('1')), { target });
  assert.equal((await at('/default/orders?a=b'))?.status, 202);
  assert.equal((await at('/default/others'))?.status, 404);
  assert.equal((await at('/default/orders/x'))?.status, 404);
  assert.deepEqual(ids(await world.kept(broker)), ['1']);
});

test('what was kept is there after a restart, and its name before anyone is let in', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders');
  await world.send(service, formatBinary(event('1')));
  await world.restart();
  assert.equal((await world.send(service, formatBinary(event('2'))))?.status, 202);
  assert.deepEqual(ids(await world.kept(broker)), ['1', '2']);
});

test('with a Broker go its name and its events, also while nobody looks', async () => {
  await using world = await BrokerWorld.start();
  await world.create('orders');
  await world.send(service, formatBinary(event('1')));
  await world.brokers.delete({ namespace: 'default', name: 'orders' });
  await world.cluster.settle();
  assert.equal(world.services.has(service), false);
  assert.deepEqual(await world.log.streams('broker/'), []);
  await world.create('others');
  await world.stop();
  await world.brokers.delete({ namespace: 'default', name: 'others' });
  await world.restart();
  assert.deepEqual(await world.log.streams('broker/'), []);
});

test('what Triggers were not done with is told when it goes with its Broker', async () => {
  await using world = await BrokerWorld.start();
  const told = async (): Promise<readonly unknown[]> => {
    await world.cluster.advance('10s');
    const events = world.cluster.client.of<KubeObject>(eventType);
    const { items } = await events.list({ namespace: 'default' });
    return items.map((item) => [Object(item).reason, Object(item).message]);
  };
  await world.create('done');
  await world.send('done-broker.default', formatBinary(event('1')));
  await world.brokers.delete({ namespace: 'default', name: 'done' });
  assert.deepEqual(await told(), []);
  const broker = await world.create('orders');
  const stream = await world.log.stream(brokerStream(broker.metadata.uid ?? ''));
  const consumer = await stream.consumer('trigger/1');
  for (const id of ['1', '2', '3']) await world.send(service, formatBinary(event(id)));
  await consumer.commit({ cursor: 1 });
  await world.brokers.delete({ namespace: 'default', name: 'orders' });
  const message = '2 events that not all of its Triggers were done with went with the Broker';
  assert.deepEqual(await told(), [['EventsDropped', message]]);
});

test('events that every Trigger is done with go when they are old, others stay', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders', { retention: { maxAge: '1m' } });
  const stream = await world.log.stream(brokerStream(broker.metadata.uid ?? ''));
  const consumer = await stream.consumer('trigger/1');
  for (const id of ['1', '2', '3']) await world.send(service, formatBinary(event(id)));
  await world.cluster.advance('2m');
  assert.deepEqual(ids(await world.kept(broker)), ['1', '2', '3']);
  await consumer.commit({ cursor: 2, outstanding: [{ sequence: 2, state: Buffer.of() }] });
  await world.cluster.advance('1m');
  assert.deepEqual(ids(await world.kept(broker)), ['2', '3']);
  await consumer.commit({ cursor: 3, settled: [2] });
  await world.cluster.advance('1m');
  assert.deepEqual(ids(await world.kept(broker)), []);
  assert.equal((await world.get('orders')).status?.events, 0);
});

test('what has no room goes whoever wants it, and the status counts it', async () => {
  await using world = await BrokerWorld.start();
  const broker = await world.create('orders', { retention: { maxEvents: 2 } });
  const stream = await world.log.stream(brokerStream(broker.metadata.uid ?? ''));
  await stream.consumer('trigger/1');
  for (const id of ['1', '2', '3', '4', '5']) {
    await world.send(service, formatBinary(event(id)));
    await world.cluster.advance('20s');
  }
  assert.deepEqual(ids(await world.kept(broker)), ['4', '5']);
  const { status } = await world.get('orders');
  assert.equal(status?.lost, 3);
  assert.equal(findCondition(status?.conditions, 'Retained')?.reason, 'BoundsReached');
});

test('a Broker that keeps nothing is not looked at', async () => {
  await using world = await BrokerWorld.start();
  await world.create('orders');
  const before = await world.get('orders');
  await world.cluster.advance('1h');
  const after = await world.get('orders');
  assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
});
