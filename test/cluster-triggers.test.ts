/** Triggers in a cluster: kept and delivered by the controller that leads, with its rights alone. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  applyObject,
  awaitCondition,
  brokerType,
  configMapType,
  functionType,
  roleBindingType,
  roleType,
  secretType,
  testNamespace,
  clusterWaitMs as timeoutMs,
  triggerType,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { OutsideTarget } from './outside-target.ts';
import { until } from './until.ts';

/** Writes down the type and the data of each event. */
function recorder(file: string): string {
  return `
import { appendFileSync } from 'node:fs';
export default async (request) => {
  const line = request.headers.get('ce-type') + ' ' + (await request.text());
  appendFileSync(${JSON.stringify(file)}, line + '\\n');
  return new Response('kept');
};`;
}

async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

async function seen(cluster: ClusterParts, file: string, text: string): Promise<void> {
  await until(async () => (await linesOf(file)).some((line) => line.includes(text)), {
    what: `an event with ${text}`,
    timeoutMs,
  }).catch((error: unknown) => {
    throw new Error(cluster.output(), { cause: error });
  });
}

/** Sends an event until it is taken: it may come again, and is known by its id. */
async function send(url: string, id: string): Promise<void> {
  const headers = { 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': '/s', 'ce-type': 'sent' };
  await until(
    async () => (await fetch(url, { method: 'POST', headers, body: id })).status === 202,
    { what: `event ${id} to be taken`, timeoutMs },
  );
}

test('schedules, objects and requests reach functions, which sleep until then', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const { url } = await cluster.gateway();
  const file = join(cluster.api.dataDirectory, 'seen');
  const target = { function: 'record' };
  await applyObject(cluster, functionType, {
    ...{ name: 'record' },
    spec: { runtime: 'nodejs24', source: { inline: recorder(file) }, scale: { idleAfter: '2s' } },
  });
  await awaitCondition(cluster, functionType, { name: 'record' });

  const cron = { schedule: '* * * * * *', data: 'tick', missed: 'skip' };
  await applyObject(cluster, triggerType, { name: 'often', spec: { source: { cron }, target } });
  await seen(cluster, file, 'tick');
  await awaitCondition(cluster, triggerType, { name: 'often' });
  await cluster.client.of(triggerType).delete({ namespace: testNamespace, name: 'often' });

  const events = { http: { paths: [{ exact: '/in' }], events: {} } };
  await applyObject(cluster, triggerType, { name: 'in', spec: { source: events, target } });
  await awaitCondition(cluster, triggerType, { name: 'in' });
  await send(`${url}/in`, 'sent-1');
  await seen(cluster, file, 'sent sent-1');

  const key = createHash('sha256').update('let me in').digest('hex');
  await applyObject(cluster, secretType, {
    ...{ name: 'keys', type: 'Opaque' },
    data: { me: Buffer.from(`sha256:${key}`).toString('base64') },
  });
  const http = {
    paths: [{ pattern: '/shop/{item}' }],
    auth: { anyOf: [{ apiKey: { secret: 'keys' } }] },
  };
  await applyObject(cluster, triggerType, { name: 'shop', spec: { source: { http }, target } });
  await awaitCondition(cluster, triggerType, { name: 'shop' });
  assert.equal((await fetch(`${url}/shop/hat`)).status, 401);
  const headers = { 'x-api-key': 'let me in' };
  assert.equal(await (await fetch(`${url}/shop/hat`, { headers })).text(), 'kept');
  assert.equal((await fetch(`${url}/elsewhere`)).status, 404);

  const kubernetes = { apiVersion: 'v1', kind: 'ConfigMap', fieldSelector: 'metadata.name=one' };
  await applyObject(cluster, triggerType, {
    name: 'maps',
    spec: { source: { kubernetes }, target },
  });
  await applyObject(cluster, roleType, {
    ...{ name: 'maps' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
  });
  await applyObject(cluster, roleBindingType, {
    ...{
      name: 'maps',
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: testNamespace }],
    },
    roleRef: { apiGroup: roleType.group, kind: 'Role', name: 'maps' },
  });
  await awaitCondition(cluster, triggerType, { name: 'maps' });
  await applyObject(cluster, configMapType, { name: 'one', data: { n: 'news' } });
  await seen(cluster, file, 'news');
});

test('what a controller took that is killed is delivered by the next one', async () => {
  await using cluster = await ClusterParts.start();
  await using outside = new OutsideTarget();
  const target = { url: await outside.listen() };
  const first = await cluster.controller('kept');
  const { url } = await cluster.gateway();
  const second = await cluster.controller('kept');
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  const http = { paths: [{ exact: '/in' }], events: {} };
  await applyObject(cluster, triggerType, { name: 'in', spec: { source: { http }, target } });
  await awaitCondition(cluster, triggerType, { name: 'in' });
  const ids = Array.from({ length: 40 }, (_, index) => `event-${index}`);
  for (const id of ids.slice(0, 20)) await send(`${url}/in`, id);
  await first.stop('SIGKILL');
  assert.equal((await fetch(`${url}/in`, { method: 'POST' })).status, 503, 'nobody leads');
  for (const id of ids.slice(20)) await send(`${url}/in`, id);
  outside.isOpen = true;
  await until(() => ids.every((id) => outside.ids.includes(id)), {
    what: 'all events to come',
    timeoutMs,
  }).catch((error: unknown) => {
    throw new Error(cluster.output(), { cause: error });
  });
});

/** Holds each call until it is told to go on, then writes it down. */
function patient(directory: string): string {
  return `
import { appendFileSync, existsSync } from 'node:fs';
const directory = ${JSON.stringify(directory)};
export default async (request) => {
  while (!existsSync(directory + '/go')) await new Promise((resolve) => setTimeout(resolve, 10));
  const text = await request.text();
  appendFileSync(directory + '/done', text + '\\n');
  return 'done ' + text;
};`;
}

/** Sends an event to a Broker by the name of its Service, as Pods do. */
function publish(insideUrl: string, id: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = {
    ...{ host: 'broker-ingress.knative-eventing.svc.cluster.local', 'content-length': id.length },
    ...{ 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': '/s', 'ce-type': 'sent' },
  };
  const sending = request(`${insideUrl}/default/main`, { method: 'POST', headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  sending.once('error', reject);
  sending.end(id);
  return promise;
}

test('calls for later and events of Brokers outlive the controller that took them', async () => {
  await using cluster = await ClusterParts.start();
  await using outside = new OutsideTarget();
  const target = { url: await outside.listen() };
  const first = await cluster.controller('kept');
  const { url, insideUrl } = await cluster.gateway();
  const second = await cluster.controller('kept');
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  const directory = cluster.api.dataDirectory;
  const spec = { runtime: 'nodejs24', source: { inline: patient(directory) } };
  await applyObject(cluster, functionType, { name: 'patient', spec });
  await awaitCondition(cluster, functionType, { name: 'patient' });
  await applyObject(cluster, brokerType, { name: 'main', spec: {} });
  await awaitCondition(cluster, brokerType, { name: 'main' });
  const source = { broker: { name: 'main' } };
  await applyObject(cluster, triggerType, { name: 'out', spec: { source, target } });
  await awaitCondition(cluster, triggerType, { name: 'out' });

  const accepted = await fetch(`${url}/async/default/patient`, { method: 'POST', body: 'one' });
  assert.equal(accepted.status, 202, await accepted.text());
  const headers = { prefer: 'respond-async' };
  const preferred = await fetch(`${url}/default/patient`, { method: 'POST', headers, body: 'two' });
  assert.equal(preferred.headers.get('preference-applied'), 'respond-async');
  assert.equal(await publish(insideUrl, 'event-1'), 202);
  await first.stop('SIGKILL');
  await writeFile(join(directory, 'go'), '');
  outside.isOpen = true;
  const answers = [accepted, preferred].map(({ headers }) => `${headers.get('location')}/answer`);
  for (const [index, path] of answers.entries()) {
    const answered = async (): Promise<boolean> =>
      (await (await fetch(`${url}${path}`)).text()) === `done ${['one', 'two'][index]}`;
    await until(answered, { what: `the answer of call ${index}`, timeoutMs }).catch(
      (error: unknown) => {
        throw new Error(cluster.output(), { cause: error });
      },
    );
  }
  await until(() => outside.ids.includes('event-1'), { what: 'the event', timeoutMs });
  assert.equal(await publish(insideUrl, 'event-2'), 202);
  await until(() => outside.ids.includes('event-2'), { what: 'another event', timeoutMs });
});
