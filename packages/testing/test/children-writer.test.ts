import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import {
  type ChildOutcome,
  childrenCondition,
  createChildWriter,
  keepOwnManagedFields,
  toPrimary,
} from '@fnlet/reconcile';
import {
  configMap,
  configMapType,
  createSite,
  deployment,
  siteType,
  startOperatorWorld,
  withoutManagedFields,
} from './operator-world.ts';

const kinds = (outcomes: readonly ChildOutcome[]): string[] =>
  outcomes.map((outcome) => `${outcome.kind} ${outcome.child.name}`);

function reasonOf(outcomes: readonly ChildOutcome[], name: string): string | undefined {
  const found = outcomes.find(({ child }) => child.name === name);
  return found !== undefined && 'reason' in found ? found.reason : undefined;
}

test('absent children are left as they are, an empty list deletes them all', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('a'), configMap('b')]);
  world.takeWrites();
  assert.deepEqual(await world.pass(site, undefined), []);
  assert.deepEqual(world.takeWrites(), []);
  assert.deepEqual(kinds(await world.pass(site, [])), ['pruned a', 'pruned b']);
  assert.equal(await world.tryLive('ConfigMap', 'a'), undefined);
});

test('what is no longer wanted is deleted, and only what this operator applied for this primary', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const other = await createSite(world, 'other');
  await world.pass(other, [configMap('theirs')]);
  await world.pass(site, [configMap('a'), configMap('b')]);
  const owned = await world.live('ConfigMap', 'a');
  const { ownerReferences = [] } = owned.metadata;
  const metadata = { name: 'by-hand', namespace: 'default', ownerReferences };
  const byHand = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  await world.cluster.client.of<KubeObject>(configMapType).create(byHand);
  const outcomes = await world.pass(site, [configMap('b')]);
  assert.deepEqual(kinds(outcomes), ['skipped b', 'pruned a', 'skipped by-hand']);
  assert.equal(reasonOf(outcomes, 'by-hand'), 'NotApplied');
  assert.ok(await world.tryLive('ConfigMap', 'theirs'));
});

test('without managedFields, who applied a child is asked of the API before it is deleted', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('a')]);
  const { ownerReferences = [] } = (await world.live('ConfigMap', 'a')).metadata;
  const metadata = { name: 'by-hand', namespace: 'default', ownerReferences };
  const byHand = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  await world.cluster.client.of<KubeObject>(configMapType).create(byHand);
  const writer = world.restarted();
  const outcomes = await world.pass(site, [], { writer, view: withoutManagedFields });
  assert.deepEqual(kinds(outcomes).sort(), ['pruned a', 'skipped by-hand']);
});

test('a list in which something has no name deletes nothing', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('a')]);
  world.takeWrites();
  const nameless: KubeObject = JSON.parse('{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}');
  const outcomes = await world.pass(site, [nameless]);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['blocked'],
  );
  assert.deepEqual(world.takeWrites(), []);
});

test('a child waits for those before it, all in one pass when they are ready at once', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const first = await world.pass(site, [
    configMap('config'),
    [deployment('web')],
    [configMap('after')],
  ]);
  assert.deepEqual(kinds(first), ['created config', 'created web', 'waiting after']);
  const web = await world.live('Deployment', 'web');
  const status = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
  };
  const type = { ...configMapType, group: 'apps', kind: 'Deployment', plural: 'deployments' };
  await world.cluster.client.of<KubeObject>(type).updateStatus({ ...web, status });
  const desired = [configMap('config'), [deployment('web')], [configMap('after')]];
  assert.deepEqual(kinds(await world.pass(site, desired)), [
    'skipped config',
    'skipped web',
    'created after',
  ]);
});

test('a rule of its own says when a child is ready', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const isReady = ({ metadata }: KubeObject): boolean => metadata.annotations?.open === 'true';
  const gate = { object: configMap('gate'), isReady };
  const next = { object: configMap('next'), after: [configMap('gate')] };
  assert.deepEqual(kinds(await world.pass(site, [next, gate])), ['created gate', 'waiting next']);
  const closed = await world.live('ConfigMap', 'gate');
  const metadata = { ...closed.metadata, annotations: { open: 'true' } };
  await world.meddle({ ...closed, metadata });
  assert.deepEqual(kinds(await world.pass(site, [next, gate])), ['skipped gate', 'created next']);
});

test('children go in the reverse of their order, each step when the later one is gone', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('base'), [configMap('middle')], [configMap('top')]]);
  const top = await world.live('ConfigMap', 'top');
  await world.meddle({ ...top, metadata: { ...top.metadata, finalizers: ['example.com/hold'] } });
  const writer = world.restarted();
  const going = ['waiting middle', 'waiting base'];
  assert.deepEqual(kinds(await world.pass(site, [], { writer })), ['pruned top', ...going]);
  assert.deepEqual(kinds(await world.pass(site, [], { writer })), ['waiting top', ...going]);
  const held = await world.live('ConfigMap', 'top');
  await world.meddle({ ...held, metadata: { ...held.metadata, finalizers: [] } });
  assert.deepEqual(kinds(await world.pass(site, [], { writer })), [
    'pruned middle',
    'waiting base',
  ]);
  assert.deepEqual(kinds(await world.pass(site, [], { writer })), ['pruned base']);
  assert.deepEqual(await world.pass(site, [], { writer }), []);
});

test('what another controller owns is left alone, what nobody owns is adopted', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const other = await createSite(world, 'other');
  await world.pass(other, [configMap('theirs', { a: '1' })]);
  const metadata = { name: 'free', namespace: 'default' };
  const free = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1', b: '2' } };
  await world.cluster.client.of<KubeObject>(configMapType).create(free);
  const desired = [configMap('theirs', { a: '2' }), configMap('free', { a: '3' })];
  const outcomes = await world.pass(site, desired);
  assert.deepEqual(kinds(outcomes), ['blocked theirs', 'adopted free']);
  assert.deepEqual((await world.live('ConfigMap', 'free')).data, { a: '3', b: '2' });
  assert.deepEqual((await world.live('ConfigMap', 'theirs')).data, { a: '1' });
  const { status, reason, message } = childrenCondition(outcomes);
  assert.deepEqual([status, reason], ['False', 'ForeignOwner']);
  assert.match(message ?? '', /Site "other"/);
});

test('a primary that is being deleted gets no new children, and keeps up those that it has', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web', ['example.com/sites']);
  await world.pass(site, [configMap('a', { a: '1' })]);
  const sites = world.cluster.client.of<KubeObject>(siteType);
  await sites.delete({ namespace: 'default', name: 'web' });
  const going = await sites.get({ namespace: 'default', name: 'web' });
  const outcomes = await world.pass(going, [configMap('a', { a: '2' }), configMap('b')]);
  assert.deepEqual(kinds(outcomes), ['applied a', 'skipped b']);
  assert.equal(reasonOf(outcomes, 'b'), 'PrimaryDeleted');
});

test('an object that no cache shows is not taken from its owner', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const other = await createSite(world, 'other');
  await world.pass(other, [configMap('theirs', { a: '1' })]);
  const { signal } = new AbortController();
  const desired = [configMap('theirs', { a: '2' })];
  const outcomes = await world.writer.apply({ primary: site, desired, observed: [], signal });
  assert.equal(reasonOf(outcomes, 'theirs'), 'ForeignOwner');
  assert.deepEqual((await world.live('ConfigMap', 'theirs')).data, { a: '1' });
});

test('children beyond the reach of a reference are known by label, and deleted like the others', async () => {
  const finalizer = 'example.com/sites';
  await using world = await startOperatorWorld({ finalizer });
  const site = await createSite(world, 'web', [finalizer]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'far' } };
  const far = { ...configMap('a'), metadata: { name: 'a', namespace: 'far' } };
  const desired = [namespace, [far]];
  await world.pass(site, desired);
  const child = await world.live('ConfigMap', 'a', 'far');
  assert.equal(child.metadata.labels?.['fnlet.dev/owner-uid'], site.metadata.uid);
  assert.deepEqual(toPrimary(siteType)(child), [{ namespace: 'default', name: 'web' }]);
  world.takeWrites();
  await world.pass(site, desired);
  await world.pass(site, desired, { writer: world.restarted() });
  assert.deepEqual(world.takeWrites(), []);
  await world.pass(site, []);
  assert.equal(await world.tryLive('ConfigMap', 'a', 'far'), undefined);
});

test('a child beyond reach is not made for a primary that only an old cache shows', async () => {
  const finalizer = 'example.com/sites';
  await using world = await startOperatorWorld({ finalizer });
  const { cluster, typeOf } = world;
  const { clock } = cluster;
  const site = await createSite(world, 'web', [finalizer]);
  const client = createClient(cluster.transport(), { fieldManager: 'sites', clock });
  let isAlive = false;
  let asked = 0;
  const writer = createChildWriter({
    ...{ client, typeOf, clock, finalizer },
    isAlive: () => {
      asked++;
      return Promise.resolve(isAlive);
    },
  });
  const far = (name: string): KubeObject => {
    return { ...configMap(name), metadata: { name, namespace: 'kube-public' } };
  };
  const desired = [far('a'), far('b')];
  const outcomes = await world.pass(site, desired, { writer });
  assert.deepEqual(kinds(outcomes), ['skipped a', 'skipped b']);
  assert.deepEqual([asked, world.takeWrites()], [1, []]);
  isAlive = true;
  assert.deepEqual(kinds(await world.pass(site, desired, { writer })), ['created a', 'created b']);
  await world.pass(site, [...desired, configMap('near')], { writer });
  assert.equal(asked, 2);
});

test('what fails for one child is told of it, and the others are written', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const bad = { ...configMap('bad'), data: { a: 1 } };
  const outcomes = await world.pass(site, [bad, configMap('good')]);
  assert.deepEqual(kinds(outcomes), ['failed bad', 'created good']);
  const condition = childrenCondition(outcomes);
  assert.equal(condition.reason, 'Failed');
  assert.match(condition.message ?? '', /^Cannot create ConfigMap "default\/bad": /);
});

test('an object of the same name that came in between is not taken for the child', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('a', { a: '1' })]);
  const old = await world.live('ConfigMap', 'a');
  const maps = world.cluster.client.of<KubeObject>(configMapType);
  await maps.delete({ namespace: 'default', name: 'a' });
  await maps.create({
    ...configMap('a', { mine: '1' }),
    metadata: { name: 'a', namespace: 'default' },
  });
  const view = (object: KubeObject): KubeObject =>
    object.metadata.name === 'a' && object.kind === 'ConfigMap' ? old : object;
  const outcomes = await world.pass(site, [configMap('a', { a: '2' })], { view });
  assert.deepEqual(kinds(outcomes), ['failed a']);
  await world.pass(site, [], { view });
  assert.deepEqual((await world.live('ConfigMap', 'a')).data, { mine: '1' });
});

test('the breaker opens on a fight, names the other manager, and probes after a pause', async () => {
  await using world = await startOperatorWorld({ breaker: { rewritesMax: 3 } });
  const site = await createSite(world, 'web');
  const desired = [configMap('a', { mode: 'mine' })];
  const fight = async (): Promise<readonly ChildOutcome[]> => {
    const live = await world.live('ConfigMap', 'a');
    await world.meddle({ ...live, data: { mode: 'theirs' } }, 'other-operator');
    return world.pass(site, desired);
  };
  await world.pass(site, desired);
  const rounds: string[][] = [];
  for (let round = 0; round < 4; round++) rounds.push(kinds(await fight()));
  assert.deepEqual(rounds.flat(), ['applied a', 'applied a', 'applied a', 'blocked a']);
  const { reason, message } = childrenCondition(await world.pass(site, desired));
  assert.equal(reason, 'Contested');
  assert.match(message ?? '', /field manager "other-operator" writes \.data\.mode/);
  const asked = world.cluster.faults.fail({ verb: 'get', name: 'a' });
  assert.equal(childrenCondition(await world.pass(site, desired)).message, message);
  assert.equal(asked.met, 0);
  asked.remove();
  await world.cluster.advance('61s');
  assert.deepEqual(kinds(await world.pass(site, desired)), ['applied a']);
  assert.deepEqual(kinds(await fight()), ['blocked a']);
});

test('the breaker names a rival that only the API knows of, or that deletes', async () => {
  await using world = await startOperatorWorld({ breaker: { rewritesMax: 1 } });
  const site = await createSite(world, 'web');
  const desired = [configMap('a', { mode: 'mine' }), configMap('b')];
  const view = keepOwnManagedFields('sites');
  const maps = world.cluster.client.of<KubeObject>(configMapType);
  let outcomes = await world.pass(site, desired, { view });
  for (let round = 0; round < 2; round++) {
    const live = await world.live('ConfigMap', 'a');
    await world.meddle({ ...live, data: { mode: 'theirs' } }, 'other-operator');
    await maps.delete({ namespace: 'default', name: 'b' });
    outcomes = await world.pass(site, desired, { view });
  }
  const messages = outcomes.map((child) => (child.kind === 'blocked' ? child.message : child.kind));
  assert.match(messages[0] ?? '', /"other-operator" writes \.data\.mode, as "sites" does$/);
  assert.match(messages[1] ?? '', /somebody deletes it$/);
});

test('a new generation of the primary is written at once, fight or not', async () => {
  await using world = await startOperatorWorld({ breaker: { rewritesMax: 1 } });
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('a', { a: '1' })]);
  await world.meddle({ ...(await world.live('ConfigMap', 'a')), data: { a: '2' } });
  await world.pass(site, [configMap('a', { a: '1' })]);
  await world.meddle({ ...(await world.live('ConfigMap', 'a')), data: { a: '2' } });
  const blocked = await world.pass(site, [configMap('a', { a: '1' })]);
  assert.deepEqual(kinds(blocked), ['blocked a']);
  const changed = await world.meddle({ ...site, spec: { replicas: 2 } });
  assert.deepEqual(kinds(await world.pass(changed, [configMap('a', { a: '1' })])), ['applied a']);
});

test('many children that are made, changed and deleted never open a breaker', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const desired = Array.from({ length: 60 }, (_, index) => configMap(`c${index}`, { a: '1' }));
  const wishes = [desired, desired.map((child) => ({ ...child, data: { a: '2' } })), [], desired];
  for (const wish of wishes) {
    const outcomes = await world.pass(site, wish);
    assert.ok(outcomes.every(({ kind }) => kind !== 'blocked' && kind !== 'failed'));
  }
});

test('one child alone can be applied, and the others stay', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('a'), configMap('b')]);
  const observed = [await world.live('ConfigMap', 'a'), await world.live('ConfigMap', 'b')];
  const { signal } = new AbortController();
  const desired = [configMap('a', { a: '1' })];
  const request = { primary: site, desired, isComplete: false, observed, signal };
  assert.deepEqual(kinds(await world.writer.apply(request)), ['applied a']);
  assert.ok(await world.tryLive('ConfigMap', 'b'));
});

test('who goes over from other writes to applying can still remove what it wrote', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const { cluster } = world;
  const own = createClient(cluster.transport(), { fieldManager: 'sites', clock: cluster.clock });
  const metadata = { name: 'a', namespace: 'default' };
  await own.of<KubeObject>(configMapType).create({ ...configMap('a', { old: '1' }), metadata });
  await world.pass(site, [configMap('a', { old: '1' })]);
  await world.pass(site, [configMap('a', { new: '2' })]);
  assert.deepEqual((await world.live('ConfigMap', 'a')).data, { new: '2' });
});
