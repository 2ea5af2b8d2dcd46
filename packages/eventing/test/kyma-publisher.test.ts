import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerType, parseBroker } from '@fnlet/api';
import type { ResponderAnswer } from '@fnlet/gateway';
import type { KubeObject } from '@fnlet/machinery';
import { createKymaPublisher } from '../src/broker/kyma-publisher.ts';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { formatStructured } from '../src/event/http-event.ts';
import { BrokerWorld } from './broker-world.ts';

const name = 'kyma-eventing';

function event(attributes: object = {}): CloudEvent {
  const own = { specversion: '1.0', id: '1', source: 'my/app', type: 'order.placed>.v1' } as const;
  return { attributes: { ...own, ...attributes }, data: Buffer.from('{}') };
}

async function publish(
  world: BrokerWorld,
  published: CloudEvent,
  target = '/publish',
): Promise<ResponderAnswer> {
  const { headers, body } = formatStructured(published);
  const fields = Object.entries(headers);
  const request = {
    ...{ call: undefined, method: 'POST', target, headers: fields, body: Buffer.from(body) },
    remoteAddress: '127.0.0.1',
  };
  return createKymaPublisher(world.room).respond(request, new AbortController().signal);
}

test('what is published is kept for all namespaces, with what Subscriptions choose by', async () => {
  await using world = await BrokerWorld.start();
  const { client } = world.cluster;
  await client
    .of<KubeObject>({
      group: '',
      version: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      namespaced: false,
    })
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  const here = await world.create(name);
  const metadata = { name, namespace: 'other' };
  const apiVersion = 'fnlet.dev/v1alpha1';
  const there = parseBroker(
    await client
      .of<KubeObject & { readonly spec: object }>(brokerType)
      .create({ apiVersion, kind: 'Broker', metadata, spec: {} }),
  );
  await world.create('shop');
  await world.cluster.settle();
  const { status, body } = await publish(world, event());
  assert.deepEqual([status, body], [204, '']);
  for (const broker of [here, there]) {
    const kept = await world.kept(broker);
    assert.equal(kept.length, 1);
    const [{ attributes } = event()] = kept;
    assert.deepEqual([attributes.type, attributes.source], ['order.placed>.v1', 'my/app']);
    assert.equal(attributes.originaltype, 'order.placed>.v1');
    assert.equal(attributes.kymasubject, 'myapp.order.placed.v1');
  }
});

test('what nobody has subscribed to is forgotten, and what is no event is refused', async () => {
  await using world = await BrokerWorld.start();
  assert.equal((await publish(world, event())).status, 204);
  assert.equal((await publish(world, event({ type: 'a..b' }))).status, 400);
  assert.equal((await publish(world, event(), '/v1/events')).status, 404);
});
