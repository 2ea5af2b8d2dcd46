/** Triggers in a cluster: kept and delivered by the controller that leads, with its rights alone. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Condition,
  findCondition,
  type KubeObject,
  type ResourceType,
} from '@fnlet/machinery';
import { ClusterParts } from './cluster-parts.ts';
import { OutsideTarget } from './outside-target.ts';
import { until } from './until.ts';

/** A machine with one or two cores starts all of these beside other tests. */
const timeoutMs = 60_000;
const namespace = 'default';

function fnletType(kind: string, plural: string): ResourceType {
  return { group: 'fnlet.dev', version: 'v1alpha1', kind, plural, namespaced: true };
}

const functionType = fnletType('Function', 'functions');
const triggerType = fnletType('Trigger', 'triggers');

function coreType(kind: string, plural: string): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced: true };
}

async function apply(
  cluster: ClusterParts,
  type: ResourceType,
  object: Readonly<Record<string, unknown>> & { readonly name: string },
): Promise<void> {
  const { name, ...fields } = object;
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const whole = { apiVersion, kind: type.kind, metadata: { name, namespace }, ...fields };
  await cluster.client.of<KubeObject>(type).apply(whole, { force: true });
}

interface Judged extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

async function waitReady(cluster: ClusterParts, type: ResourceType, name: string): Promise<void> {
  let last: Condition | undefined;
  await until(
    async () => {
      const { status, metadata } = await cluster.client.of<Judged>(type).get({ namespace, name });
      last = findCondition(status?.conditions ?? [], 'Ready');
      return last?.status === 'True' && last.observedGeneration === metadata.generation;
    },
    { what: `${type.kind} ${name} to be ready`, timeoutMs },
  ).catch((error: unknown) => {
    throw new Error(`${JSON.stringify(last)}\n${cluster.output()}`, { cause: error });
  });
}

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
  await apply(cluster, functionType, {
    ...{ name: 'record' },
    spec: { runtime: 'nodejs24', source: { inline: recorder(file) }, scale: { idleAfter: '2s' } },
  });
  await waitReady(cluster, functionType, 'record');

  const cron = { schedule: '* * * * * *', data: 'tick', missed: 'skip' };
  await apply(cluster, triggerType, { name: 'often', spec: { source: { cron }, target } });
  await seen(cluster, file, 'tick');
  await waitReady(cluster, triggerType, 'often');
  await cluster.client.of(triggerType).delete({ namespace, name: 'often' });

  const events = { http: { paths: [{ exact: '/in' }], events: {} } };
  await apply(cluster, triggerType, { name: 'in', spec: { source: events, target } });
  await waitReady(cluster, triggerType, 'in');
  await send(`${url}/in`, 'sent-1');
  await seen(cluster, file, 'sent sent-1');

  const key = createHash('sha256').update('let me in').digest('hex');
  await apply(cluster, coreType('Secret', 'secrets'), {
    ...{ name: 'keys', type: 'Opaque' },
    data: { me: Buffer.from(`sha256:${key}`).toString('base64') },
  });
  const http = {
    paths: [{ pattern: '/shop/{item}' }],
    auth: { anyOf: [{ apiKey: { secret: 'keys' } }] },
  };
  await apply(cluster, triggerType, { name: 'shop', spec: { source: { http }, target } });
  await waitReady(cluster, triggerType, 'shop');
  assert.equal((await fetch(`${url}/shop/hat`)).status, 401);
  const headers = { 'x-api-key': 'let me in' };
  assert.equal(await (await fetch(`${url}/shop/hat`, { headers })).text(), 'kept');
  assert.equal((await fetch(`${url}/elsewhere`)).status, 404);

  const kubernetes = { apiVersion: 'v1', kind: 'ConfigMap', fieldSelector: 'metadata.name=one' };
  await apply(cluster, triggerType, { name: 'maps', spec: { source: { kubernetes }, target } });
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true };
  await apply(
    cluster,
    { ...rbac, kind: 'Role', plural: 'roles' },
    {
      ...{ name: 'maps' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
    },
  );
  await apply(
    cluster,
    { ...rbac, kind: 'RoleBinding', plural: 'rolebindings' },
    {
      ...{ name: 'maps', subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }] },
      roleRef: { apiGroup: rbac.group, kind: 'Role', name: 'maps' },
    },
  );
  await waitReady(cluster, triggerType, 'maps');
  await apply(cluster, coreType('ConfigMap', 'configmaps'), { name: 'one', data: { n: 'news' } });
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
  await apply(cluster, triggerType, { name: 'in', spec: { source: { http }, target } });
  await waitReady(cluster, triggerType, 'in');
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
