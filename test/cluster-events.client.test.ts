/** Events of a cluster with a real NATS: as their log, as a source, and from programs in Pods. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '@nats-io/transport-node';
import { findNatsPrograms, NatsServer } from '../packages/store/test/nats-server.ts';
import {
  applyObject,
  awaitCondition,
  testNamespace as namespace,
  clusterWaitMs as timeoutMs,
  triggerType,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { OutsideTarget } from './outside-target.ts';
import { until } from './until.ts';

const [program] = findNatsPrograms();
const skip = program === undefined && 'no nats-server is on this machine';

/** Sends an event until it is taken: it may come again, and is known by its id. */
async function send(url: string, id: string): Promise<void> {
  const headers = { 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': '/s', 'ce-type': 'sent' };
  await until(
    async () => (await fetch(url, { method: 'POST', headers, body: id })).status === 202,
    { what: `event ${id} to be taken`, timeoutMs },
  );
}

test('with NATS, controllers that share no directory lose nothing of each other', {
  skip,
}, async () => {
  assert.ok(program !== undefined);
  await using nats = await NatsServer.start(program);
  await using cluster = await ClusterParts.start();
  await using outside = new OutsideTarget();
  const target = { url: await outside.listen() };
  const args = ['--events-log', `${nats.url}?name=house`];
  const first = await cluster.controller('first', args);
  const { url } = await cluster.gateway();
  const second = await cluster.controller('second', args);
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  const http = { paths: [{ exact: '/in' }], events: {} };
  await applyObject(cluster, triggerType, { name: 'in', spec: { source: { http }, target } });
  await awaitCondition(cluster, triggerType, { name: 'in' });
  const ids = Array.from({ length: 20 }, (_, index) => `event-${index}`);
  for (const id of ids.slice(0, 10)) await send(`${url}/in`, id);
  await first.stop('SIGKILL');
  for (const id of ids.slice(10)) await send(`${url}/in`, id);
  outside.isOpen = true;
  const isThere = (): boolean => ids.every((id) => outside.ids.includes(id));
  await until(isThere, { what: 'all events', timeoutMs }).catch((error: unknown) => {
    throw new Error(cluster.output(), { cause: error });
  });
});

const bringer = `
const { K_SINK, K_SINK_TOKEN } = process.env;
const headers = {
  authorization: 'Bearer ' + K_SINK_TOKEN,
  'ce-specversion': '1.0', 'ce-id': 'brought', 'ce-source': '/pod', 'ce-type': 'brought',
};
for (;;) {
  const sent = fetch(K_SINK, { method: 'POST', headers, body: 'x' });
  const status = await sent.then((answer) => answer.status, () => 0);
  await new Promise((resolve) => setTimeout(resolve, status === 202 ? 60_000 : 100));
}
`;

test('messages of NATS and what a program in a Pod sends are delivered', { skip }, async () => {
  assert.ok(program !== undefined);
  await using nats = await NatsServer.start(program);
  await using cluster = await ClusterParts.start();
  await using outside = new OutsideTarget();
  outside.isOpen = true;
  const target = { url: await outside.listen() };
  await cluster.controller();
  const { url } = await cluster.gateway();
  const messages = { nats: { servers: [nats.url], subject: 'orders.*' } };
  await applyObject(cluster, triggerType, { name: 'orders', spec: { source: messages, target } });
  await awaitCondition(cluster, triggerType, { name: 'orders' });
  const connection = await connect({ servers: nats.url });
  connection.publish('orders.new', '{"n": 1}');
  await connection.drain();
  await until(() => outside.ids.length === 1, { what: 'the message', timeoutMs }).catch(
    (error: unknown) => {
      throw new Error(cluster.output(), { cause: error });
    },
  );

  const container = {
    ...{ name: 'bring', image: 'node:24-slim' },
    command: ['node', '--input-type=module', '-e', bringer],
  };
  const custom = { template: { spec: { containers: [container] } } };
  await applyObject(cluster, triggerType, { name: 'pod', spec: { source: { custom }, target } });
  await until(() => outside.ids.includes('brought'), { what: 'its event', timeoutMs }).catch(
    (error: unknown) => {
      throw new Error(cluster.output(), { cause: error });
    },
  );
  await awaitCondition(cluster, triggerType, { name: 'pod' });
  const sink = `${url}/-/events/${namespace}/pod`;
  assert.equal((await fetch(sink, { method: 'POST' })).status, 401);
});
