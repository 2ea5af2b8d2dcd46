/** What is bounded in a hub: how often, how much, how many rounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '@fnlet/base';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import { ConfigMap, Secret } from '@fnlet/sdk/operator';
import { answered, everything, failure, HubWorld, keyOf, namespace } from '../test/hub-world.ts';
import { openSites, retext, Site, site, sites, sitesSpec } from '../test/sites.ts';

interface Told extends KubeObject {
  readonly status?: { readonly conditions?: Parameters<typeof findCondition>[0] };
}

/** The condition of a Site that says how its last run went. */
async function outcomeOf(
  world: HubWorld,
  name: string,
): Promise<readonly [reason: string | undefined, message: string | undefined]> {
  const { status } = await world.of<Told>(Site).get(keyOf(name));
  const found = findCondition(status?.conditions ?? [], 'Reconciled');
  return [found?.reason, found?.message];
}

test('spec.rate bounds the calls of an operator, and takes none of them from another', async () => {
  await using world = await openSites({ rate: { perSecond: 2, burst: 4 } });
  await world.deploy('pages', sites);
  await world.create('pages', {
    ...sitesSpec,
    reconcile: { function: 'pages' },
    fieldManager: 'p',
  });
  const ofSites = (): number =>
    world.calls.filter((call) => call.operator === 'default/sites').length;
  world.answerer = async () => answered(200, {});
  for (let index = 0; index < 40; index++) await world.of(Site).create(site(`s${index}`));
  world.start();
  await world.settle('1s');
  assert.equal(world.calls.length - ofSites(), 40);
  assert.ok(ofSites() <= 7, `${ofSites()} calls`);
  await world.settle('9s');
  assert.ok(ofSites() >= 20 && ofSites() <= 24, `${ofSites()} calls`);
  await world.settle('10s');
  assert.equal(ofSites(), 40);
  for (const call of world.calls) assert.equal(call.what === 'reconcile' && call.attempt, 1);
});

test('an object that changes all the time takes no turn of others that wait for theirs', async () => {
  await using world = await openSites({ rate: { perSecond: 1, burst: 1 } });
  world.answerer = async () => answered(200, {});
  world.start();
  await world.of(Site).create(site('busy'));
  await world.settle('2s');
  await world.of(Site).create(site('a'));
  await world.of(Site).create(site('b'));
  for (let change = 0; change < 40; change++) {
    await retext(world, 'busy', `${change}`);
    await world.settle('100ms');
  }
  assert.deepEqual([...new Set(world.reconciled)].sort(), ['a', 'b', 'busy']);
  const calls = world.calls.length;
  await world.settle('2s');
  await world.of(Site).create(site('late'));
  await world.settle('2s');
  assert.deepEqual(world.reconciled.slice(calls).at(-1), 'late');
});

test('a run of several calls comes to its end, however few the rate allows', async () => {
  await using world = await openSites({ rate: { perSecond: 1, burst: 1 } });
  world.answerer = async (call) => {
    assert.ok(call.what === 'reconcile');
    const require = [{ apiVersion: 'v1', kind: 'Secret', name: 'x' }];
    return answered(200, call.required === undefined ? { require } : { status: { url: 'done' } });
  };
  await world.allow('default', everything);
  for (const name of ['a', 'b', 'c']) await world.of(Site).create(site(name));
  world.start();
  await world.settle('8s');
  assert.deepEqual(world.reconciled.sort(), ['a', 'a', 'b', 'b', 'c', 'c']);
});

test('a slow function holds up its own operator only', async () => {
  await using world = await openSites({ concurrency: 2 });
  await world.deploy('pages', sites);
  await world.create('pages', {
    ...sitesSpec,
    reconcile: { function: 'pages' },
    fieldManager: 'p',
  });
  world.answerer = async (call, signal) => {
    if (call.operator === 'default/sites') await sleep(world.cluster.clock, 60_000, signal);
    return answered(200, {});
  };
  for (let index = 0; index < 20; index++) await world.of(Site).create(site(`s${index}`));
  world.start();
  await world.settle('2s');
  const others = world.calls.filter((call) => call.operator === 'default/pages');
  assert.equal(others.length, 20);
  assert.equal(world.calls.length - others.length, 2);
});

test('an object that is too large for a call says so, and is called when there is room', async () => {
  await using world = await openSites({ payload: { max: '2Ki' } });
  world.start();
  await world.of(Site).create(site('large', 'x'.repeat(4096)));
  await world.of(Site).create(site('small'));
  await world.settle();
  assert.deepEqual([...new Set(world.reconciled)], ['small']);
  const [reason, message = ''] = await outcomeOf(world, 'large');
  assert.equal(reason, 'PayloadTooLarge');
  assert.match(message, /found \d+ bytes, expected at most 2048 \(spec\.payload\.max\)/);
  assert.equal(await world.condition('sites'), 'True ObjectsFailing');
  const { status } = await world.operator('sites');
  const told = findCondition(status?.conditions ?? [], 'Ready')?.message ?? '';
  assert.match(told, /1 of 2 objects, such as default\/large: .*spec\.payload\.max/);
  await retext(world, 'large', 'short');
  await world.settle();
  assert.equal((await outcomeOf(world, 'large'))[0], 'Applied');
  assert.equal(await world.condition('sites'), 'True Ready');
});

test('an answer that is too large is not used, and the object says so', async () => {
  await using world = await openSites({ payload: { max: '2Ki' } });
  world.answerer = async () => {
    const children = [ConfigMap.of({ metadata: { name: 'a' }, data: { text: 'x'.repeat(4096) } })];
    const whole = answered(200, { children });
    return { ...whole, body: whole.body.subarray(0, 2048), truncated: true };
  };
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const [reason, message = ''] = await outcomeOf(world, 'a');
  assert.equal(reason, 'PayloadTooLarge');
  assert.match(message, /the answer: found more than 2048 bytes/);
  assert.equal(await world.of(ConfigMap).tryGet(keyOf('a')), undefined);
});

test('a function that always requires more is asked five times, and told so', async () => {
  await using world = await openSites({ backoff: { base: '1m' } }, everything);
  world.answerer = async () => {
    const name = `s${world.calls.length}`;
    return answered(200, { require: [{ apiVersion: 'v1', kind: 'Secret', name }] });
  };
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  assert.equal(world.calls.length, 5);
  const sent = world.calls.map((call) => (call.what === 'map' ? 0 : (call.required?.length ?? 0)));
  assert.deepEqual(sent, [0, 1, 2, 3, 4]);
  const [reason, message = ''] = await outcomeOf(world, 'a');
  assert.equal(reason, 'TooManyRequirements');
  assert.match(message, /it requires more after 5 rounds/);
});

test('what its account may not read, an answer cannot require', async () => {
  await using world = await openSites({ backoff: { base: '1m' } });
  const require = [{ apiVersion: 'v1', kind: 'Secret', name: 'x' }];
  world.answerer = async () => answered(200, { require });
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const [reason, message = ''] = await outcomeOf(world, 'a');
  assert.equal(reason, 'Forbidden');
  assert.match(message, /secrets/);
});

test('a change that the function cannot map keeps no other from being mapped', async () => {
  await using world = await HubWorld.open([{ ...Site.crd }]);
  await world.deploy('sites', sites);
  const watches = [{ apiVersion: 'v1', kind: 'Secret' }];
  await world.create('sites', { ...sitesSpec, owns: [], watches }, everything);
  let isBroken = true;
  world.answerer = async (call) => {
    if (call.what !== 'map') return answered(200, {});
    const names = call.objects.map(({ metadata }) => metadata.name);
    if (isBroken && names.includes('poison')) return failure(502, 'InstanceGone');
    return answered(200, { keys: names.map((name) => [{ name: `of-${name}` }]) });
  };
  world.start();
  for (const name of ['of-a', 'of-b', 'of-poison']) await world.of(Site).create(site(name));
  await world.settle();
  world.calls.length = 0;
  for (const name of ['poison', 'a', 'b']) {
    const metadata = { name, namespace };
    await world.of(Secret).create({ apiVersion: 'v1', kind: 'Secret', metadata });
  }
  await world.settle('20s');
  assert.deepEqual(world.reconciled.sort(), ['of-a', 'of-b']);
  assert.equal(await world.condition('sites'), 'True MapFailing');
  const { status } = await world.operator('sites');
  const told = findCondition(status?.conditions ?? [], 'Ready')?.message ?? '';
  assert.match(told, /cannot say whom changes of others concern: .*InstanceGone/);
  isBroken = false;
  await world.settle('70s');
  assert.deepEqual(world.reconciled.sort(), ['of-a', 'of-b', 'of-poison']);
  assert.equal(await world.condition('sites'), 'True Ready');
});

test('an object that takes Instances down takes no other along for long', async () => {
  await using world = await openSites();
  let lose: PromiseWithResolvers<void> = Promise.withResolvers();
  world.answerer = async (call) => {
    assert.ok(call.what === 'reconcile');
    const lost = lose.promise.then(() => failure(502, 'InstanceGone'));
    if (call.object.metadata.name !== 'bad') {
      const slowly = sleep(world.cluster.clock, 100).then(() => answered(200, {}));
      return Promise.race([lost, slowly]);
    }
    await sleep(world.cluster.clock, 50);
    const now = lose;
    lose = Promise.withResolvers();
    now.resolve();
    return failure(502, 'InstanceGone');
  };
  for (const name of ['bad', 'g1', 'g2', 'g3', 'g4']) await world.of(Site).create(site(name));
  world.start();
  await world.settle('20s');
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 5, settled: 4, failing: 1 });
  const tries = world.reconciled.filter((name) => name === 'bad').length;
  assert.ok(tries <= 4, `${tries} Instances`);
  // What is fixed is tried at once.
  world.answerer = undefined;
  await retext(world, 'bad', 'fixed');
  await world.settle('5s');
  assert.equal((await world.operator('sites')).status?.objects?.settled, 5);
});
