// Triggers that follow objects, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Invocation } from '@fnlet/invocation';
import type { KubeObject } from '@fnlet/machinery';
import { namespace, World } from './world.ts';

const target = { function: 'hello' };

function follow(more: object = {}): object {
  return { source: { kubernetes: { apiVersion: 'v1', kind: 'ConfigMap', ...more } }, target };
}

async function start(spec: object): Promise<World> {
  const world = await World.start();
  await world.createFunction('hello');
  await world.allow('configmaps');
  await world.applySpec('maps', spec);
  await world.pass(1_000);
  return world;
}

function bodyOf({ body }: Invocation): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  assert(isJsonObject(value));
  return value;
}

/** What the calls tell: the change, the name, what was and what is. */
function told({ calls }: World): readonly string[] {
  return calls.map((call) => {
    const headers = new Map(call.headers);
    const { object, oldObject } = bodyOf(call);
    const show = (value: unknown): string => Object(Object(value).data).a ?? '-';
    const change = headers.get('ce-type')?.split('.').at(-1);
    return `${change} ${headers.get('ce-name')} ${show(oldObject)} ${show(object)}`;
  });
}

test('each change is an event, with what was before it', async () => {
  await using world = await start(follow());
  assert.equal((await world.ready('maps'))?.reason, 'Ready');
  await world.setConfigMap('one', { a: '1' });
  await world.pass(100);
  await world.setConfigMap('one', { a: '2' });
  await world.pass(100);
  await world.configMaps.delete({ namespace, name: 'one' });
  await world.pass(100);
  assert.deepEqual(told(world), ['add one - 1', 'update one 1 2', 'delete one - 2']);
  const [call] = world.calls;
  const headers = new Map(call?.headers);
  assert.equal(headers.get('ce-type'), 'dev.fnlet.kubernetes.add');
  assert.equal(headers.get('ce-subject'), '/api/v1/namespaces/default/configmaps/one');
  assert.equal(Object(Object(call && bodyOf(call)).object).metadata.managedFields, undefined);
});

test('what is there at the first start is no event, what happens to it is', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.allow('configmaps');
  await world.setConfigMap('old', { a: '1' });
  await world.applySpec('maps', follow());
  await world.pass(1_000);
  assert.deepEqual(told(world), []);
  await world.setConfigMap('old', { a: '2' });
  await world.pass(100);
  assert.deepEqual(told(world), ['update old 1 2']);
});

test('labels, fields, kinds of change and expressions say what is an event', async () => {
  await using world = await start(
    follow({
      labelSelector: 'app=web',
      fieldSelector: 'metadata.name!=skipped',
      changes: ['add', 'update', 'delete'],
      when: 'object.data.a != oldObject.data.a',
    }),
  );
  const web = { app: 'web' };
  await world.setConfigMap('other', { a: '1' });
  await world.setConfigMap('skipped', { a: '1' }, web);
  await world.setConfigMap('one', { a: '1' }, web);
  await world.setConfigMap('one', { a: '1', b: '2' }, web);
  await world.setConfigMap('one', { a: '2' }, web);
  await world.setConfigMap('one', { a: '3' });
  await world.pass(100);
  assert.deepEqual(told(world).toSorted(), ['add one - 1', 'delete one - 3', 'update one 1 2']);
});

test('what happens while it does not run is told afterwards', async () => {
  await using world = await start(follow());
  await world.setConfigMap('stays', { a: '1' });
  await world.setConfigMap('goes', { a: '1' });
  await world.pass(2_000);
  await world.restart();
  world.calls.length = 0;
  await world.setConfigMap('stays', { a: '2' });
  await world.configMaps.delete({ namespace, name: 'goes' });
  await world.setConfigMap('short', { a: '1' });
  await world.configMaps.delete({ namespace, name: 'short' });
  await world.listen();
  await world.pass(1_000);
  const expected = ['add short - 1', 'delete goes - 1', 'delete short - 1', 'update stays 1 2'];
  assert.deepEqual(told(world).toSorted(), expected);
});

test('what was told shortly before an end is not told again as something else', async () => {
  await using world = await start(follow());
  await world.setConfigMap('gone', { a: '1' });
  await world.setConfigMap('gone', { a: '2' });
  await world.configMaps.delete({ namespace, name: 'gone' });
  await world.setConfigMap('stays', { a: '1' });
  await world.setConfigMap('stays', { a: '2' });
  await world.pass(100);
  const before = told(world);
  assert.equal(before.length, 5);
  await world.restart();
  await world.listen();
  await world.pass(5_000);
  await world.setConfigMap('stays', { a: '3' });
  await world.pass(100);
  assert.deepEqual(told(world), [...before, 'update stays 2 3']);
});

test('where the history does not reach back, what there is is compared with what there was', async () => {
  await using world = await start(follow());
  await world.setConfigMap('stays', { a: '1' });
  await world.setConfigMap('goes', { a: '1' });
  await world.pass(2_000);
  await world.restart();
  world.calls.length = 0;
  await world.setConfigMap('stays', { a: '2' });
  await world.configMaps.delete({ namespace, name: 'goes' });
  await world.setConfigMap('comes', { a: '1' });
  const gone = world.cluster.faults.gone({ verb: 'watch', resource: 'configmaps' });
  await world.listen();
  await world.pass(5_000);
  assert.equal(gone.met, 1);
  const expected = ['add comes - 1', 'delete goes - 1', 'update stays 1 2'];
  assert.deepEqual(told(world).toSorted(), expected);
});

test('a ServiceAccount that may not see the objects brings no events, until it may', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('maps', follow());
  await world.pass(10_000);
  const ready = await world.ready('maps');
  assert.equal(ready?.reason, 'SourceFailed');
  assert.match(ready?.message ?? '', /"default\/default" may not list them in namespace "default"/);
  await world.allow('configmaps');
  await world.pass(60_000);
  assert.equal((await world.ready('maps'))?.reason, 'Ready');
});

test('a kind that is not there is waited for', async () => {
  await using world = await start(follow({ kind: 'Missing' }));
  await world.pass(10_000);
  assert.match((await world.ready('maps'))?.message ?? '', /serves no such kind/);
});

test('of a kind that is served later everything is told, over a restart too', async () => {
  await using world = await start(follow({ apiVersion: 'shop.io/v1', kind: 'Order' }));
  await world.allow('orders');
  await world.restart();
  await world.listen();
  await world.pass(1_000);
  const { client } = world.cluster;
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'orders.shop.io' },
    spec: {
      ...{ group: 'shop.io', scope: 'Namespaced', names: { plural: 'orders', kind: 'Order' } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
  const kinds = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
  };
  const definitions = client.of<KubeObject>({
    ...kinds,
    kind: 'CustomResourceDefinition',
    namespaced: false,
  });
  await definitions.create(definition);
  await world.cluster.settle();
  const type = {
    group: 'shop.io',
    version: 'v1',
    kind: 'Order',
    plural: 'orders',
    namespaced: true,
  };
  const metadata = { name: 'one', namespace };
  const order = { apiVersion: 'shop.io/v1', kind: 'Order', metadata };
  await client.of<KubeObject>(type).create({ ...order, data: { a: '1' } });
  await world.pass(120_000);
  await world.restart();
  await world.listen();
  await world.pass(1_000);
  assert.deepEqual(told(world), ['add one - 1']);
  await definitions.delete({ namespace: '', name: 'orders.shop.io' });
  await world.cluster.settle();
  await world.pass(10_000);
  assert.match((await world.ready('maps'))?.message ?? '', /^The API serves orders no more/);
});

test('metadata alone, and objects as Knative sends them', async () => {
  await using world = await start(follow({ metadataOnly: true, content: 'object' }));
  await world.setConfigMap('one', { a: '1' });
  await world.pass(100);
  const [call] = world.calls;
  assert(call !== undefined);
  const { kind, metadata, data } = bodyOf(call);
  assert.deepEqual([kind, Object(metadata).name, data], ['ConfigMap', 'one', undefined]);
  const type = new Map(call.headers).get('ce-type');
  assert.equal(type, 'dev.knative.apiserver.resource.add');
});

test('fields that metadata alone do not have are no choice', async () => {
  await using world = await start(follow({ metadataOnly: true, fieldSelector: 'data.a=1' }));
  assert.match(
    (await world.ready('maps'))?.message ?? '',
    /found "data.a", expected fields of meta/,
  );
  await world.applySpec('maps', follow({ metadataOnly: true, fieldSelector: 'metadata.name=one' }));
  await world.pass(1_000);
  await world.setConfigMap('two', { a: '1' });
  await world.setConfigMap('one', { a: '1' });
  await world.pass(1_000);
  assert.equal(world.calls.length, 1);
});

test('many Triggers follow a kind by one watch', async () => {
  await using world = await start(follow());
  for (const name of ['b', 'c', 'd']) await world.applySpec(name, follow());
  await world.pass(1_000);
  await world.setConfigMap('one', { a: '1' });
  await world.pass(1_000);
  assert.equal(world.calls.length, 4);
  assert.equal(world.cluster.faults.dropWatches({ resource: 'configmaps' }), 1);
  await world.setConfigMap('two', { a: '1' });
  await world.pass(5_000);
  assert.equal(world.calls.length, 8);
});
