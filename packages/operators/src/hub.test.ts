import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorType } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';
import { ConfigMap, operator, ready, Secret } from '@fnlet/sdk/operator';
import {
  answered,
  everything,
  failure,
  HubWorld,
  keyOf,
  namespace,
  rightsOf,
} from '../test/hub-world.ts';
import { openSites, Site, site, sites, sitesSpec } from '../test/sites.ts';

test('an object of the kind wakes the function, and what it wants is applied', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const child = await world.of<KubeObject & { data?: unknown }>(ConfigMap).get(keyOf('a'));
  assert.deepEqual(child.data, { text: 'hello' });
  const made = await world.of<KubeObject & { status?: { url?: string } }>(Site).get(keyOf('a'));
  assert.equal(made.status?.url, 'http://a');
  assert.equal(await world.condition('sites'), 'True Ready');
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 1, settled: 1, failing: 0 });
  assert.equal(status?.awake, false);
});

test('what predicates hold back wakes nobody; a changed spec does', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  const patch = { metadata: { labels: { a: 'b' } } };
  await world.of(Site).patch(keyOf('a'), { type: 'merge', patch });
  await world.settle();
  assert.deepEqual(world.reconciled, []);
  await world.of(Site).patch(keyOf('a'), { type: 'merge', patch: { spec: { text: 'new' } } });
  await world.settle();
  const [call] = world.calls;
  assert.ok(call?.what === 'reconcile');
  assert.equal(call.reason, 'Site default/a was updated to generation 2');
  assert.deepEqual(call.sent.generation, 2);
});

test('a restart runs nothing that was settled, and what has changed meanwhile', async () => {
  await using world = await openSites();
  for (const name of ['a', 'b', 'c']) await world.of(Site).create(site(name));
  world.start();
  await world.settle();
  await world.stop();
  world.calls.length = 0;
  world.cluster.writes.clear();
  await world.of(Site).patch(keyOf('b'), { type: 'merge', patch: { spec: { text: 'new' } } });
  await world.of(ConfigMap).patch(keyOf('c'), { type: 'merge', patch: { data: { text: 'x' } } });
  world.start();
  await world.settle();
  assert.deepEqual([...new Set(world.reconciled)].sort(), ['b', 'c']);
  const child = await world.of<KubeObject & { data?: unknown }>(ConfigMap).get(keyOf('c'));
  assert.deepEqual(child.data, { text: 'hello' });
});

test('other code runs everything again', async () => {
  await using world = await openSites();
  for (const name of ['a', 'b']) await world.of(Site).create(site(name));
  world.start();
  await world.settle();
  world.calls.length = 0;
  await world.setFunctionStatus('sites', 'sites-2');
  await world.settle();
  assert.deepEqual(world.reconciled.sort(), ['a', 'b']);
});

test('a missing right is told with the rule to add; with it, it runs', async () => {
  const rules = rightsOf(sites).filter(({ resources }) => !resources.includes('configmaps'));
  await using world = await openSites({}, rules);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  assert.equal(await world.condition('sites', 'PermissionsGranted'), 'False PermissionMissing');
  const { status } = await world.operator('sites');
  const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  assert.match(
    message,
    /add to a ClusterRole: \{apiGroups: \[""\], resources: \[configmaps\], verbs: \[get, list, watch, create, patch, delete\]\}/,
  );
  assert.deepEqual(status?.missingPermissions?.[0]?.resources, ['configmaps']);
  assert.deepEqual(world.calls, []);
  await world.allow('default', rightsOf(sites));
  await world.settle();
  assert.equal(await world.condition('sites'), 'True Ready');
  assert.deepEqual(world.reconciled.slice(0, 1), ['a']);
});

test('a kind that the hub itself may not watch is told with what to do; then it runs', async () => {
  await using world = await openSites();
  let mayWatch = false;
  world.watching = {
    may: ({ plural }) => Promise.resolve(mayWatch || plural !== 'sites'),
    remedy: 'label a ClusterRole',
  };
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const { status } = await world.operator('sites');
  const told = status?.conditions?.find(({ type }) => type === 'PermissionsGranted');
  assert.equal(
    told?.message,
    'Fnlet itself may not list and watch sites.example.dev: label a ClusterRole',
  );
  assert.deepEqual(world.calls, []);
  mayWatch = true;
  await world.settle('30s');
  assert.equal(await world.condition('sites'), 'True Ready');
  assert.deepEqual(world.reconciled.slice(0, 1), ['a']);
});

test('children are written as the ServiceAccount, and Events told as it', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const users = new Set(
    world.writes
      .filter(({ path }) => /configmaps|example\.dev|events/.test(path))
      .map(({ as }) => as),
  );
  assert.deepEqual([...users], ['system:serviceaccount:default:default']);
});

test('a busy function is asked again in its time, and nobody else asks meanwhile', async () => {
  await using world = await openSites();
  let busy = true;
  world.answerer = async () =>
    busy ? answered(503, {}, [['Retry-After', '30']]) : answered(200, {});
  world.start();
  for (const name of ['a', 'b', 'c']) await world.of(Site).create(site(name));
  await world.settle('20s');
  assert.equal(world.calls.length <= 3, true);
  const before = world.calls.length;
  busy = false;
  await world.settle('15s');
  assert.equal(world.calls.length - before, 3);
  for (const call of world.calls) assert.equal(call.what === 'reconcile' && call.attempt, 1);
});

test('a function that crashes is tried again, and the object says why', async () => {
  await using world = await openSites();
  world.answerer = async () => failure(502, 'InstanceGone');
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle('20s');
  const [first, second] = world.calls;
  assert.ok(first?.what === 'reconcile' && second?.what === 'reconcile');
  assert.equal(second.attempt, 2);
  assert.equal(first.run, second.run);
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 1, settled: 0, failing: 1 });
  assert.equal(await world.condition('sites'), 'True ObjectsFailing');
});

test('an answer about an older generation is not used', async () => {
  await using world = await openSites();
  world.start();
  await world.settle();
  const held = Promise.withResolvers<void>();
  world.answerer = async (call) => {
    if (world.calls.length === 1) await held.promise;
    assert.ok(call.what === 'reconcile');
    const text = 'spec' in call.object ? JSON.stringify(call.object.spec) : '';
    return answered(200, {
      children: [ConfigMap.of({ metadata: { name: 'a' }, data: { text } })],
    });
  };
  await world.of(Site).create(site('a', 'old'));
  await world.settle('1s');
  await world.of(Site).patch(keyOf('a'), { type: 'merge', patch: { spec: { text: 'new' } } });
  await world.settle('1s');
  held.resolve();
  await world.settle();
  const written = world.cluster.writes.entries.filter(({ path }) => path.includes('configmaps'));
  assert.equal(written.length, 1);
  const child = await world.of<KubeObject & { data?: unknown }>(ConfigMap).get(keyOf('a'));
  assert.deepEqual(child.data, { text: '{"text":"new"}' });
});

test('watches map objects to those that they concern, before anything wakes', async () => {
  await using world = await HubWorld.open([{ ...Site.crd }]);
  const withSecret = operator(Site, {
    watches: [Secret.mapTo(() => undefined)],
    reconcile: ({ related }) => ({ status: { url: String(related(Secret).size) } }),
  });
  await world.deploy('sites', withSecret);
  const map = "has(object.metadata.labels) ? object.metadata.labels['site'] : []";
  const watches = [{ apiVersion: 'v1', kind: 'Secret', map, related: 'mapped' }];
  await world.create('sites', { ...sitesSpec, owns: [], watches }, everything);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  const secret = (name: string, labels: Record<string, string>): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels } },
  });
  await world.of(Secret).create(secret('other', {}));
  await world.settle();
  assert.deepEqual(world.calls, []);
  await world.of(Secret).create(secret('mine', { site: 'a' }));
  await world.settle();
  const made = await world.of<KubeObject & { status?: { url?: string } }>(Site).get(keyOf('a'));
  assert.equal(made.status?.url, '1');
});

test('runs are kept with what was sent, what was answered and what was written', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  await world.stop();
  world.start();
  await world.settle();
  const runs = world.hub?.runs(keyOf('sites'))?.list() ?? [];
  assert.equal(runs.length, world.calls.length);
  const first = runs.at(-1);
  assert.equal(first?.reason, 'Site default/a was added');
  assert.deepEqual(first?.writes, ['created ConfigMap "default/a"']);
  assert.equal(first?.outcome, 'done');
  assert.equal(first?.revision, 'sites-1');
  assert.deepEqual(first?.input, world.calls[0]);
  assert.deepEqual(first?.answer, {
    children: [{ ...ConfigMap.of({ metadata: { name: 'a' }, data: { text: 'hello' } }) }],
    status: { url: 'http://a' },
    conditions: [ready()],
    childrenRead: false,
  });
});

test('explain() tells the last run, what was held back since, and when an object is due', async () => {
  await using world = await openSites();
  world.start();
  world.answerer = async () => answered(200, { requeueAfter: '1h' });
  await world.of(Site).create(site('a'));
  await world.settle();
  const patch = { metadata: { labels: { a: 'b' } } };
  await world.of(Site).patch(keyOf('a'), { type: 'merge', patch });
  await world.settle();
  const told = world.hub?.explain(keyOf('sites'), keyOf('a'));
  assert.equal(told?.state, 'settled');
  assert.equal(told?.lastRun?.reason, 'Site default/a was added');
  assert.deepEqual(told?.filtered?.parts, ['labels']);
  const dueMs = Date.parse(told?.nextDue ?? '') - Date.parse(told?.lastRun?.at ?? '');
  assert.equal(Math.round(dueMs / 60_000), 60);
  assert.equal(world.hub?.explain(keyOf('sites'), keyOf('none'))?.state, 'unknown');
});

test('times that objects are due survive a restart', async () => {
  await using world = await openSites();
  world.answerer = async () => answered(200, { requeueAfter: '1h' });
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  await world.stop();
  world.calls.length = 0;
  world.start();
  await world.settle('50m');
  assert.deepEqual(world.reconciled, []);
  await world.settle('15m');
  assert.deepEqual(world.reconciled, ['a']);
});

test('wake() runs an object that no change would', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  const { hub } = world;
  assert.equal(await hub?.wake(keyOf('sites'), keyOf('a'), 'A test'), 'noted');
  assert.equal(await hub?.wake(keyOf('sites'), keyOf('none'), 'A test'), 'noted');
  assert.equal(await hub?.wake(keyOf('other'), keyOf('a'), 'A test'), 'notRunning');
  await world.settle();
  assert.deepEqual(world.reconciled, ['a']);
  const told = hub?.explain(keyOf('sites'), keyOf('a'));
  assert.equal(told?.lastRun?.reason, 'A test asked for it');
});

test('wake() of an object that is being run makes one more run, however often', async () => {
  await using world = await openSites();
  const held = Promise.withResolvers<void>();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  world.answerer = async () => {
    await held.promise;
    return answered(200, {});
  };
  for (let time = 0; time < 10; time++) {
    await world.hub?.wake(keyOf('sites'), keyOf('a'), `Event ${time}`);
    await world.settle('10ms');
  }
  held.resolve();
  await world.settle();
  assert.deepEqual(world.reconciled, ['a', 'a']);
  const told = world.hub?.explain(keyOf('sites'), keyOf('a'));
  assert.equal(told?.lastRun?.reason, 'Event 9 asked for it');
});

test('what wake() has noted is run after a crash', async () => {
  await using world = await openSites();
  world.start();
  for (const name of ['a', 'b']) await world.of(Site).create(site(name));
  await world.settle();
  await world.hub?.wake(keyOf('sites'), keyOf('a'), 'An event');
  const left = world.crash();
  await world.stop();
  world.calls.length = 0;
  await world.restart(left);
  await world.settle();
  assert.deepEqual(world.reconciled, ['a']);
});

test('what wake() has noted is run after a crash, also when a run was under way', async () => {
  await using world = await openSites();
  world.start();
  for (const name of ['a', 'b']) await world.of(Site).create(site(name));
  await world.settle();
  const held = Promise.withResolvers<void>();
  world.answerer = async () => {
    await held.promise;
    return answered(200, {});
  };
  await world.hub?.wake(keyOf('sites'), keyOf('b'), 'An event');
  await world.settle('10ms');
  await world.hub?.wake(keyOf('sites'), keyOf('b'), 'Another event');
  const left = world.crash();
  held.resolve();
  world.answerer = undefined;
  await world.stop();
  world.calls.length = 0;
  await world.restart(left);
  await world.settle();
  assert.deepEqual(world.reconciled, ['b']);
});

test('an Operator that cannot be meant says so, and keeps no other from running', async () => {
  await using world = await openSites();
  await world.create('one', { ...sitesSpec, select: 'a in b' });
  await world.create('two', { ...sitesSpec, when: { cel: 'object.' } });
  await world.create('four', { ...sitesSpec, for: { apiVersion: 'example.dev/v1', kind: 'None' } });
  await world.create('five', { ...sitesSpec, reconcile: { function: 'none' } });
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  for (const name of ['one', 'two']) {
    assert.equal(await world.condition(name), 'False InvalidSpec', name);
  }
  assert.equal(await world.condition('four', 'KindsServed'), 'False KindNotServed');
  assert.equal(await world.condition('five', 'FunctionReady'), 'False FunctionNotFound');
  assert.equal(await world.condition('sites'), 'True Ready');
});

test('an Operator that goes takes its watches along, and what was known of it', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  await world.cluster.client.of(operatorType).delete(keyOf('sites'));
  await world.settle();
  world.calls.length = 0;
  await world.of(Site).create(site('b'));
  await world.settle();
  assert.deepEqual(world.calls, []);
  await world.stop();
  assert.deepEqual([...world.store.scan('')], []);
});

test('a right that is taken away ends the operator, and given back has it go on', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  await world.allow('default', rightsOf(sites).slice(0, 1));
  await world.settle();
  assert.equal(await world.condition('sites'), 'False PermissionMissing');
  world.calls.length = 0;
  await world.of(Site).create(site('b'));
  await world.settle();
  assert.deepEqual(world.calls, []);
  await world.allow('default', rightsOf(sites));
  await world.settle();
  assert.deepEqual([...new Set(world.reconciled)], ['b']);
});

test('where only the function knows whom a change concerns, it is asked, and asked again', async () => {
  await using world = await HubWorld.open([{ ...Site.crd }]);
  const withSecret = operator(Site, {
    watches: [Secret.mapTo(({ metadata }) => ({ name: metadata.labels?.site ?? 'none' }))],
    reconcile: ({ related }) => ({ status: { url: String(related(Secret).size) } }),
  });
  await world.deploy('sites', withSecret);
  const watches = [{ apiVersion: 'v1', kind: 'Secret' }];
  await world.create('sites', { ...sitesSpec, owns: [], watches }, everything);
  world.start();
  for (const name of ['a', 'b']) await world.of(Site).create(site(name));
  await world.settle();
  world.calls.length = 0;
  world.answerer = async () => failure(502, 'InstanceGone');
  const metadata = { name: 'mine', namespace, labels: { site: 'a' } };
  await world.of(Secret).create({ apiVersion: 'v1', kind: 'Secret', metadata });
  await world.settle();
  world.answerer = undefined;
  await world.settle('20s');
  const asked = world.calls.filter(({ what }) => what === 'map').length;
  assert.equal(asked > 1, true);
  assert.deepEqual(world.reconciled, ['a']);
  const patch = { metadata: { labels: { site: 'b' } } };
  await world.of(Secret).patch(keyOf('mine'), { type: 'merge', patch });
  await world.settle('20s');
  assert.deepEqual(world.reconciled, ['a', 'a', 'b']);
});
