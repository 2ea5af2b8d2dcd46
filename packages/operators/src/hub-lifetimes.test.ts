/** What goes and comes while a hub works: objects, due times, kinds, functions, and who else writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionType, operatorType } from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import { ConfigMap, kind, operator } from '@fnlet/sdk/operator';
import { answered, everything, failure, keyOf } from '../test/hub-world.ts';
import { openSites, retext, Site, site, sites, sitesSpec } from '../test/sites.ts';

interface WithData extends KubeObject {
  readonly data?: unknown;
}

const eventType = {
  ...{ group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
};

interface Happening extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
}

test('requeueAfter is replaced by what happens earlier, and ends with an answer without it', async () => {
  await using world = await openSites();
  let answer: JsonObject = { requeueAfter: '1m' };
  world.answerer = async () => answered(200, answer);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle('30s');
  assert.equal(world.calls.length, 1);
  await retext(world, 'a', 'new');
  await world.settle('50s');
  // The minute is counted from the newer run.
  assert.equal(world.calls.length, 2);
  await world.settle('15s');
  assert.equal(world.calls.length, 3);
  answer = {};
  await retext(world, 'a', 'newer');
  await world.settle('5m');
  assert.equal(world.calls.length, 4);
  assert.equal((await world.operator('sites')).status?.nextDue, undefined);
});

test('a retry that waits is swallowed by a newer event, whose success ends it', async () => {
  await using world = await openSites({ backoff: { base: '1m' } });
  world.answerer = async () => failure(502, 'InstanceGone');
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  assert.equal(world.calls.length, 1);
  world.answerer = undefined;
  await retext(world, 'a', 'new');
  await world.settle();
  const after = world.calls.length;
  assert.ok(after > 1);
  await world.settle('5m');
  assert.equal(world.calls.length, after);
  assert.equal(await world.condition('sites'), 'True Ready');
});

test('a paused object is left alone, and run when it is not paused any more', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  const pause = async (paused: string | null): Promise<void> => {
    const patch = { metadata: { annotations: { 'fnlet.dev/paused': paused } } };
    await world.of(Site).patch(keyOf('a'), { type: 'merge', patch });
  };
  await pause('true');
  await retext(world, 'a', 'new');
  await world.settle('1m');
  assert.deepEqual(world.calls, []);
  assert.equal(world.hub?.explain(keyOf('sites'), keyOf('a'))?.state, 'paused');
  await pause(null);
  await world.settle();
  const child = await world.of<WithData>(ConfigMap).get(keyOf('a'));
  assert.deepEqual(child.data, { text: 'new' });
});

test('a paused Operator runs nothing, and afterwards what has changed meanwhile', async () => {
  await using world = await openSites();
  world.start();
  for (const name of ['a', 'b']) await world.of(Site).create(site(name));
  await world.settle();
  world.calls.length = 0;
  const operators = world.cluster.client.of<KubeObject>(operatorType);
  const pause = async (paused: string | null): Promise<void> => {
    const patch = { metadata: { annotations: { 'fnlet.dev/paused': paused } } };
    await operators.patch(keyOf('sites'), { type: 'merge', patch });
  };
  await pause('true');
  await world.settle();
  assert.equal(await world.condition('sites'), 'False Paused');
  await retext(world, 'b', 'new');
  await world.settle('1m');
  assert.deepEqual(world.calls, []);
  await pause(null);
  await world.settle();
  assert.deepEqual([...new Set(world.reconciled)], ['b']);
  assert.equal(await world.condition('sites'), 'True Ready');
});

test('an answer about an object that is gone is not used for the one that has its name', async () => {
  await using world = await openSites();
  const held = Promise.withResolvers<void>();
  world.answerer = async (call) => {
    if (world.calls.length === 1) await held.promise;
    assert.ok(call.what === 'reconcile');
    const text = call.sent.uid;
    return answered(200, {
      children: [ConfigMap.of({ metadata: { name: 'a' }, data: { text } })],
      status: { url: text },
    });
  };
  world.start();
  const first = await world.of(Site).create(site('a'));
  await world.settle('1s');
  await world.of(Site).delete(keyOf('a'));
  const second = await world.of(Site).create(site('a'));
  await world.settle('1s');
  // Of a key at most one run is under way.
  assert.equal(world.calls.length, 1);
  held.resolve();
  await world.settle();
  const child = await world.of<WithData>(ConfigMap).get(keyOf('a'));
  assert.deepEqual(child.data, { text: second.metadata.uid });
  assert.equal(child.metadata.ownerReferences?.[0]?.uid, second.metadata.uid);
  const written = world.cluster.writes.entries.filter(({ path }) => path.includes('configmaps'));
  assert.equal(written.length, 1);
  const told = world.calls.map((call) => call.what === 'reconcile' && call.sent.uid);
  assert.deepEqual([...new Set(told)], [first.metadata.uid, second.metadata.uid]);
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 1, settled: 1, failing: 0 });
});

test('cleanup is asked until it is done; then the finalizer goes', async () => {
  await using world = await openSites({ finalize: true }, everything);
  const withCleanup = operator(Site, {
    owns: [ConfigMap],
    reconcile: sites.reconcile,
    cleanup: () => ({ requeueAfter: '10s' }),
  });
  world.functions.set('sites', withCleanup);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  await world.of(Site).delete(keyOf('a'));
  await world.settle('35s');
  const asked = world.calls.filter(({ what }) => what === 'cleanup').length;
  assert.ok(asked >= 3 && asked <= 5, `${asked} times`);
  const kept = await world.of(Site).get(keyOf('a'));
  assert.deepEqual(kept.metadata.finalizers, ['fnlet.dev/sites']);
  world.functions.set('sites', operator(Site, { ...sites, cleanup: () => ({ finalized: true }) }));
  await world.settle('15s');
  assert.equal(await world.of(Site).tryGet(keyOf('a')), undefined);
  await world.settle();
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 0, settled: 0, failing: 0 });
});

test('objects that wait for a function that is gone are told of, and go when it is back', async () => {
  await using world = await openSites({ finalize: true }, everything);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  await world.cluster.client.of(functionType).delete(keyOf('sites'));
  await world.settle();
  await world.of(Site).delete(keyOf('a'));
  await world.settle('15s');
  assert.ok(await world.of(Site).tryGet(keyOf('a')));
  assert.equal(await world.condition('sites', 'FunctionReady'), 'False FunctionNotFound');
  const { status } = await world.operator('sites');
  const told = findCondition(status?.conditions ?? [], 'Ready')?.message ?? '';
  assert.match(told, /Function "sites" does not exist; .*fnlet\.dev\/sites/);
  await world.deploy('sites', sites);
  await world.settle('15s');
  assert.equal(await world.of(Site).tryGet(keyOf('a')), undefined);
  assert.equal(await world.condition('sites'), 'True Ready');
});

test('two Operators that fight over a child are stopped, and each is told of the other', async () => {
  await using world = await openSites();
  const other = operator(Site, {
    owns: [ConfigMap],
    reconcile: ({ object: { metadata } }) => ({
      children: [ConfigMap.of({ metadata: { name: metadata.name }, data: { text: 'other' } })],
    }),
  });
  await world.deploy('others', other);
  await world.create('others', { ...sitesSpec, reconcile: { function: 'others' } }, everything);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle('30s');
  const writes = (): number =>
    world.cluster.writes.entries.filter(({ path }) => path.includes('configmaps')).length;
  const fought = writes();
  assert.ok(fought < 60, `${fought} writes`);
  await world.settle('20s');
  assert.ok(writes() - fought <= 2, `${writes() - fought} writes more`);
  const { items } = await world.cluster.client.of<Happening>(eventType).list();
  const told = items.filter(({ reason }) => reason === 'Contested');
  assert.ok(told.length > 0);
  for (const { message } of told) {
    assert.match(message ?? '', /field manager "(sites|others)" writes \.data\.text, as "/);
    assert.match(message ?? '', /"sites".*"others"|"others".*"sites"/);
  }
  const conditions = await Promise.all(['sites', 'others'].map((name) => world.condition(name)));
  assert.ok(conditions.includes('True ObjectsBlocked'), conditions.join());
  const [name = ''] = ['sites', 'others'].filter((_, index) => conditions[index] !== 'True Ready');
  const { status } = await world.operator(name);
  const message = findCondition(status?.conditions ?? [], 'Ready')?.message ?? '';
  assert.match(message, /1 of 1 objects are left alone, such as default\/a: .*field manager/);
  assert.match(world.hub?.explain(keyOf(name), keyOf('a'))?.message ?? '', /field manager/);
  // Whoever stops wanting it ends the fight.
  const operators = world.cluster.client.of<KubeObject>(operatorType);
  await operators.delete(keyOf(name === 'sites' ? 'others' : 'sites'));
  await world.settle('15m');
  assert.equal(await world.condition(name), 'True Ready');
});

const siteType = resourceTypeOf(Site);
const definitionName = { namespace: '', name: `${siteType.plural}.${siteType.group}` };
const definitions = resourceTypeOf(
  kind({
    ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
    ...{ plural: 'customresourcedefinitions', scope: 'Cluster' },
  }),
);

test('another version of the kind, and another schema, end nothing', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const crds = world.cluster.client.of<KubeObject & { spec?: { versions: JsonObject[] } }>(
    definitions,
  );
  const { spec } = await crds.get(definitionName);
  const [v1 = {}] = spec?.versions ?? [];
  const versions = [
    { ...v1, storage: false },
    { ...v1, name: 'v2', storage: true },
  ];
  await crds.patch(definitionName, { type: 'merge', patch: { spec: { versions } } });
  await world.settle();
  assert.equal(await world.condition('sites'), 'True Ready');
  world.calls.length = 0;
  await retext(world, 'a', 'new');
  await world.of(Site).create(site('b'));
  await world.settle();
  assert.deepEqual([...new Set(world.reconciled)].sort(), ['a', 'b']);
  // The version that the Operator names is served no more.
  const unserved = { versions: [{ ...versions[0], served: false }, versions[1]] };
  await crds.patch(definitionName, { type: 'merge', patch: { spec: unserved } });
  await world.settle();
  assert.equal(await world.condition('sites', 'KindsServed'), 'False KindNotServed');
  await crds.patch(definitionName, { type: 'merge', patch: { spec: { versions } } });
  world.calls.length = 0;
  await retext(world, 'b', 'new');
  await world.settle();
  assert.equal(await world.condition('sites'), 'True Ready');
  assert.deepEqual([...new Set(world.reconciled)], ['b']);
});

test('a kind that is removed ends the operator; installed again, it goes on', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const crds = world.cluster.client.of<KubeObject>(definitions);
  await crds.delete(definitionName);
  await world.settle('15s');
  assert.equal(await world.condition('sites', 'KindsServed'), 'False KindNotServed');
  world.calls.length = 0;
  await crds.create({ ...Site.crd });
  await world.settle('15s');
  assert.equal(await world.condition('sites'), 'True Ready');
  await world.of(Site).create(site('a', 'again'));
  await world.settle();
  const child = await world.of<WithData>(ConfigMap).get(keyOf('a'));
  assert.deepEqual(child.data, { text: 'again' });
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 1, settled: 1, failing: 0 });
});

test('an operator whose function is down for a while waits, and forgets nothing', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.of(Site).create(site('bad'));
  world.answerer = async (call) => {
    assert.ok(call.what === 'reconcile');
    const isBad = call.object.metadata.name === 'bad';
    return isBad ? answered(500, { message: 'boom' }) : answered(200, {});
  };
  await world.settle('20s');
  const attempts = (): number[] =>
    world.calls.flatMap((call) =>
      call.what === 'reconcile' && call.object.metadata.name === 'bad' ? [call.attempt] : [],
    );
  const before = attempts().at(-1) ?? 0;
  assert.ok(before > 3, `${before} attempts`);
  await world.setFunctionStatus('sites', 'sites-1', 'False');
  await world.settle('1s');
  world.calls.length = 0;
  await world.of(Site).create(site('b'));
  await world.settle('1m');
  assert.deepEqual(world.calls, []);
  assert.equal(await world.condition('sites'), 'False FunctionNotReady');
  assert.equal((await world.operator('sites')).status?.objects?.total, 3);
  await world.setFunctionStatus('sites', 'sites-1');
  await world.settle('30s');
  assert.ok(world.reconciled.includes('b'));
  assert.ok(!world.reconciled.includes('a'), 'it was settled');
  assert.ok((attempts()[0] ?? 0) > before, `attempt ${attempts()[0]} after ${before}`);
});
