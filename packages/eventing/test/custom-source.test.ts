// Events of programs of users, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResponderAnswer } from '@fnlet/gateway';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { formatBatch, formatBinary, formatStructured } from '../src/event/http-event.ts';
import { eventOf } from './delivery-world.ts';
import { namespace, World } from './world.ts';

const secretType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};
const deploymentType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

const key = { namespace, name: 'files-source' };
const target = { function: 'hello' };
const template = {
  metadata: { labels: { app: 'files' } },
  spec: {
    containers: [
      {
        name: 'watch',
        image: 'node:24',
        env: [{ name: 'URL', value: '$(K_SINK)?a' }],
        resources: { limits: { memory: '64Mi' } },
      },
    ],
  },
};

async function start(custom: object, more: object = {}): Promise<World> {
  const world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('files', { source: { custom }, target, ...more });
  await world.cluster.settle();
  return world;
}

async function tokenOf({ cluster }: World): Promise<string> {
  const { data } = Object(await cluster.client.of<KubeObject>(secretType).get(key));
  return Buffer.from(data.token, 'base64').toString();
}

const deploymentOf = ({ cluster }: World): Promise<KubeObject | undefined> =>
  cluster.client.of<KubeObject>(deploymentType).tryGet(key);

interface Sent {
  readonly token?: string;
  readonly name?: string;
  readonly authorization?: string;
  readonly message?: { readonly headers: object; readonly body: Uint8Array | undefined };
}

async function send(world: World, sent: Sent): Promise<ResponderAnswer> {
  const { token, name = 'files', message = formatBinary(eventOf('1')) } = sent;
  const { authorization = token === undefined ? undefined : `Bearer ${token}` } = sent;
  const headers = Object.entries(message.headers).map(([each, value]) => [each, value] as const);
  const shown = authorization === undefined ? [] : [['authorization', authorization] as const];
  const answering = world.sinks?.respond(
    {
      call: undefined,
      method: 'POST',
      target: `/-/events/${namespace}/${name}`,
      headers: [...headers, ...shown],
      body: message.body ?? new Uint8Array(),
      remoteAddress: '127.0.0.1',
    },
    AbortSignal.timeout(10_000),
  );
  await world.cluster.settle();
  return (await answering) ?? assert.fail('nobody takes events');
}

const statusOf = async (world: World, sent: Sent): Promise<number> =>
  (await send(world, sent)).status;

test('events come in with the token, in every form, and are delivered', async () => {
  await using world = await start({});
  assert.equal((await world.ready('files'))?.reason, 'Ready');
  const token = await tokenOf(world);
  assert.equal(token.length, 40);
  const { data } = Object(await world.cluster.client.of<KubeObject>(secretType).get(key));
  const url = Buffer.from(data.url, 'base64').toString();
  assert.equal(url, `http://127.0.0.1:8080/-/events/${namespace}/files`);
  assert.equal(await statusOf(world, { token }), 202);
  assert.equal(await statusOf(world, { token, message: formatStructured(eventOf('2')) }), 202);
  const batch = formatBatch([eventOf('3'), eventOf('4')]);
  const answer = await send(world, { token, message: batch });
  assert.equal(answer.body, '{"ids":["3","4"]}\n');
  const password = `Basic ${Buffer.from(`source:${token}`).toString('base64')}`;
  const last = formatBinary(eventOf('5'));
  assert.equal(await statusOf(world, { authorization: password, message: last }), 202);
  await world.pass(1_000);
  const ids = world.calls.map(({ headers }) => new Map(headers).get('ce-id'));
  assert.deepEqual(ids, ['1', '2', '3', '4', '5']);
  assert.equal(await deploymentOf(world), undefined);
});

test('who has no token is told the same, whether there is such a source or not', async () => {
  await using world = await start({});
  await world.applySpec('times', { source: { cron: { schedule: '@daily' } }, target });
  const refused = await send(world, {});
  assert.equal(refused.status, 401);
  assert.deepEqual(new Map(refused.headers).get('WWW-Authenticate'), 'Bearer');
  const token = await tokenOf(world);
  const others: readonly Sent[] = [
    { token: 'wrong' },
    { token: '' },
    { authorization: token },
    { token, name: 'nobody' },
    { token, name: 'times' },
    { token, name: 'files/more' },
  ];
  for (const other of others) assert.deepEqual(await send(world, other), refused);
  assert.equal(await statusOf(world, { token, message: { headers: {}, body: undefined } }), 400);
  assert.equal(world.calls.length, 0);
});

test('a Pod is run by a Deployment that knows where to send, and not while it is paused', async () => {
  await using world = await start({ template });
  assert.equal((await world.ready('files'))?.reason, 'SourceFailed');
  assert.match((await world.ready('files'))?.message ?? '', /No Pod of Deployment "files-source"/);
  const { metadata, spec } = Object(await deploymentOf(world));
  assert.deepEqual(
    metadata.ownerReferences.map(({ kind, name }: Record<string, unknown>) => [kind, name]),
    [['Trigger', 'files']],
  );
  assert.equal(spec.replicas, 1);
  assert.equal(spec.strategy.type, 'Recreate');
  assert.equal(spec.template.metadata.labels.app, 'files');
  assert.equal(spec.template.spec.automountServiceAccountToken, false);
  const [container] = spec.template.spec.containers;
  assert.deepEqual(container.resources, { limits: { memory: '64Mi' } });
  assert.deepEqual(container.env, [
    { name: 'K_SINK', value: `http://127.0.0.1:8080/-/events/${namespace}/files` },
    { name: 'K_SINK_TOKEN', valueFrom: { secretKeyRef: { name: 'files-source', key: 'token' } } },
    { name: 'URL', value: '$(K_SINK)?a' },
  ]);
  const deployments = world.cluster.client.of<KubeObject>(deploymentType);
  const live = await deployments.get(key);
  await deployments.updateStatus(
    Object({ ...live, status: { replicas: 1, readyReplicas: 1, availableReplicas: 1 } }),
  );
  await world.pass(6_000);
  assert.equal((await world.ready('files'))?.reason, 'Ready');
  await world.applySpec('files', { source: { custom: { template } }, target, paused: true });
  await world.pass(1_000);
  assert.equal(Object(await deploymentOf(world)).spec.replicas, 0);
  assert.equal((await world.ready('files'))?.reason, 'Paused');
  // What was on its way is kept.
  assert.equal(await statusOf(world, { token: await tokenOf(world) }), 202);
  assert.equal(world.calls.length, 0);
});

test('a Secret that is deleted is made anew, and so is the Pod; the old token is none', async () => {
  await using world = await start({ template });
  const token = await tokenOf(world);
  assert.equal(await statusOf(world, { token }), 202);
  const digest = async (): Promise<string> =>
    Object(await deploymentOf(world)).spec.template.metadata.annotations['fnlet.dev/source-token'];
  const before = await digest();
  await world.cluster.client.of(secretType).delete(key);
  await world.pass(6_000);
  const other = await tokenOf(world);
  assert.notEqual(other, token);
  assert.notEqual(await digest(), before);
  assert.equal(await statusOf(world, { token: other }), 202);
  assert.equal(await statusOf(world, { token }), 401);
});

test("a Secret of the user's is taken over with its token, one of somebody else is not", async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const secrets = world.cluster.client.of<KubeObject>(secretType);
  const data = { token: Buffer.from('mine').toString('base64') };
  const kind = { apiVersion: 'v1', kind: 'Secret' };
  await secrets.create(Object({ ...kind, metadata: key, data }));
  const { metadata } = await world.functions.get({ namespace, name: 'hello' });
  const { name, uid } = metadata;
  const owner = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', name, uid, controller: true };
  const foreign = { namespace, name: 'other-source', ownerReferences: [owner] };
  await secrets.create(Object({ ...kind, metadata: foreign, data }));
  await world.applySpec('files', { source: { custom: {} }, target });
  await world.applySpec('other', { source: { custom: {} }, target });
  await world.pass(1_000);
  assert.equal(await statusOf(world, { token: 'mine' }), 202);
  assert.equal((await world.ready('other'))?.reason, 'SourceFailed');
  assert.match((await world.ready('other'))?.message ?? '', /other-source/);
});

test('with the source goes what it consists of', async () => {
  await using world = await start({ template });
  const edit = async (source: object): Promise<void> => {
    const patch = { spec: { source } };
    await world.triggers.patch({ namespace, name: 'files' }, { type: 'merge', patch });
    await world.pass(1_000);
  };
  await edit({ custom: { template: null } });
  assert.equal(await deploymentOf(world), undefined);
  const token = await tokenOf(world);
  await edit({ custom: null, cron: { schedule: '@daily' } });
  assert.equal(await world.cluster.client.of(secretType).tryGet(key), undefined);
  assert.equal(await statusOf(world, { token }), 401);
});

test('a template that no Pod can be made of is told', async () => {
  await using world = await start({ template: { spec: { containers: [{ image: 'node' }] } } });
  const ready = await world.ready('files');
  assert.equal(ready?.reason, 'SourceFailed');
  assert.match(ready?.message ?? '', /containers\[0\].name/);
});
