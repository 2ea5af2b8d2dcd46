import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FnletError } from '@fnlet/base';
import type { Specialisation } from '@fnlet/invocation';
import { findCondition, type KubeObject, objectKey } from '@fnlet/machinery';
import type { Service } from '../src/core-kinds.ts';
import { createMachine, namespace, World } from './world.ts';

const secondInline = { source: { inline: 'two' } };

async function settled(name = 'hello'): Promise<World> {
  const world = await new World(createMachine()).start();
  await world.apply(name, {});
  await world.ready(name);
  return world;
}

// Code of which the source text is `broken` does not load.
function breaking(world: World, text: string): void {
  const { machine } = world;
  machine.load = ({ sourceDirectory }: Specialisation) => {
    const digest = sourceDirectory.slice('/artifacts/'.length);
    const source = machine.artifacts.stored.get(digest)?.files['handler.ts'];
    if (source !== text) return {};
    const code = 'SyntaxError';
    return { failure: { code, message: 'Unexpected token', file: 'handler.ts', line: 3 } };
  };
}

function names(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}

async function revisionNames(world: World): Promise<string[]> {
  const found: string[] = [];
  await world.until(async () => {
    const { items } = await world.revisions.list({ namespace });
    found.splice(0, found.length, ...names(items));
    return true;
  });
  return found;
}

test('a new Function gets a Revision, is proven, and answers', async () => {
  await using world = await settled();
  const { status } = await world.get('hello');
  assert.match(status?.revision ?? '', /^hello-[0-9a-f]{10}$/);
  assert.equal(status?.url, 'http://gateway/default/hello');
  assert.equal(status?.observedGeneration, 1);
  assert.equal(status?.replicas, 1);
  assert.equal(await world.call('hello'), status?.revision);
  assert.deepEqual(await world.services(), ['hello']);
  const reasons = (await world.events('hello')).map(({ reason }) => reason);
  assert.deepEqual(reasons.sort(), ['RevisionCreated', 'RevisionReady']);
});

test('Ready is seen no earlier than the Pod of the Instance that made it true', async () => {
  await using world = await new World(createMachine()).start();
  const shown = Promise.withResolvers<void>();
  const waited: string[] = [];
  world.untilShown = (instances) => {
    waited.push(...instances.map(({ revision, phase }) => `${revision.function} ${phase}`));
    return shown.promise;
  };
  await world.apply('hello', {});
  await world.until(() => waited.length > 0);
  assert.deepEqual(waited, ['hello ready']);
  await world.call('hello');
  await world.advance(1_000);
  const { status } = await world.get('hello');
  assert.notEqual(findCondition(status?.conditions, 'Ready')?.status, 'True');
  shown.resolve();
  await world.ready('hello');
  await world.advance(120_000);
  assert.equal((await world.get('hello')).status?.replicas, 0, 'it sleeps');
  await world.call('hello');
  await world.until(async () => (await world.get('hello')).status?.replicas === 1);
  assert.equal(waited.length, 1, 'a wake changes nothing about Ready');
});

test('a status that somebody else overwrites is put right', async () => {
  await using world = await settled();
  const before = await world.get('hello');
  const foreign = { url: 'http://elsewhere', conditions: [] };
  await world.functions.patch(
    objectKey(before),
    { type: 'merge', patch: { status: foreign } },
    { subresource: 'status' },
  );
  await world.until(async () => (await world.get('hello')).status?.url === before.status?.url);
  const { status } = await world.ready('hello');
  assert.equal(status?.conditions?.length, before.status?.conditions?.length);
});

test('a settled Function is written no more', async () => {
  await using world = await settled();
  await world.advance(1000);
  const before = await world.get('hello');
  await world.put('ConfigMap', 'unrelated', { a: 'b' });
  await world.advance(30_000);
  const after = await world.get('hello');
  assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
});

test('an edit moves traffic without a failed call, and never back', async () => {
  await using world = await settled();
  const served = new Set([await world.call('hello')]);
  for (let edit = 0; edit < 10; edit++) {
    await world.apply('hello', { source: { inline: `edit ${edit}` } });
    const { status } = await world.ready('hello');
    const revision = status?.revision ?? '';
    assert.ok(!served.has(revision));
    served.add(revision);
    assert.equal(await world.call('hello'), revision);
  }
  await world.until(() => world.executor.instances().length === 1);
});

test('a Revision that does not load never takes traffic, and says where and why', async () => {
  await using world = await settled();
  const good = await world.call('hello');
  breaking(world, 'two');
  await world.apply('hello', secondInline);
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'LoadFailed');
  assert.equal(ready.message, 'handler.ts:3: Unexpected token');
  const routes = await world.condition('hello', 'RoutesReady', 'True');
  assert.equal(routes.reason, 'PreviousRevision');
  await world.advance(30_000);
  assert.equal(await world.call('hello'), good);
  assert.deepEqual(
    [...new Set(world.executor.instances().map(({ revision }) => revision.id))],
    [`default/${good}`],
  );
  const warning = (await world.events('hello')).find(({ type }) => type === 'Warning');
  assert.match(warning?.message ?? '', /handler\.ts:3: Unexpected token/);
  await world.apply('hello', { source: { inline: 'three' } });
  await world.ready('hello');
  assert.notEqual(await world.call('hello'), good);
});

test('going back from a broken edit is Ready at once, with the Revision of before', async () => {
  await using world = await settled();
  const good = await world.call('hello');
  breaking(world, 'two');
  await world.apply('hello', secondInline);
  await world.condition('hello', 'Ready', 'False');
  await world.apply('hello', {});
  const { status } = await world.ready('hello');
  assert.equal(status?.revision, good);
});

test('a Function that was never ready is refused with the reason', async () => {
  await using world = await new World(createMachine()).start();
  breaking(world, 'one');
  await world.apply('hello', {});
  await world.condition('hello', 'RoutesReady', 'False');
  const route = world.gateway.routes.get('default/hello');
  assert.equal(route?.revision, undefined);
  assert.deepEqual(route?.unavailable, {
    reason: 'LoadFailed',
    message: 'handler.ts:3: Unexpected token',
  });
  assert.deepEqual(world.executor.instances(), []);
});

test('a Function that is on its way is refused with what it waits for', async () => {
  await using world = await new World(createMachine()).start();
  const gate = Promise.withResolvers<void>();
  world.machine.artifacts.gate = gate.promise;
  await world.apply('hello', {});
  await world.until(() => world.gateway.routes.has('default/hello'));
  assert.equal(world.gateway.routes.get('default/hello')?.unavailable?.reason, 'Preparing');
  gate.resolve();
  await world.ready('hello');
  assert.equal(world.gateway.routes.get('default/hello')?.unavailable, undefined);
});

test('a newer edit supersedes the one in progress', async () => {
  await using world = await settled();
  const gate = Promise.withResolvers<void>();
  world.machine.artifacts.gate = gate.promise;
  await world.apply('hello', secondInline);
  await world.condition('hello', 'Ready', 'Unknown');
  world.machine.artifacts.gate = Promise.resolve();
  await world.apply('hello', { source: { inline: 'three' } });
  const { status } = await world.ready('hello');
  gate.resolve();
  await world.advance(1000);
  assert.equal(await world.call('hello'), status?.revision);
  assert.equal((await world.get('hello')).status?.revision, status?.revision);
  await world.until(() => world.executor.instances().length === 1);
});

test('an edit that supersedes a starting Revision stops its Instance', async () => {
  await using world = await settled();
  world.machine.load = () => ({ afterMs: 30_000 });
  await world.apply('hello', secondInline);
  await world.until(() => world.executor.instances().some(({ phase }) => phase === 'starting'));
  world.machine.load = () => ({});
  await world.apply('hello', {});
  await world.ready('hello');
  await world.until(() => world.executor.instances().length === 1);
});

test('going back to older code uses its Revision again', async () => {
  await using world = await settled();
  const first = await world.call('hello');
  await world.apply('hello', secondInline);
  await world.ready('hello');
  await world.apply('hello', {});
  const { status } = await world.ready('hello');
  assert.equal(status?.revision, first);
  assert.equal(await world.call('hello'), first);
  assert.equal((await revisionNames(world)).length, 2);
});

test('the history is bounded, and the Revision that serves is in it', async () => {
  await using world = await settled();
  for (let edit = 0; edit < 8; edit++) {
    await world.advance(1000);
    await world.apply('hello', { source: { inline: `edit ${edit}` } });
    await world.ready('hello');
  }
  await world.until(async () => (await world.revisions.list({ namespace })).items.length === 6);
  const { status } = await world.get('hello');
  assert.ok((await revisionNames(world)).includes(status?.revision ?? ''));
  assert.equal(world.machine.artifacts.stored.size, 9);
  await world.advance(120_000);
  assert.equal(world.machine.artifacts.stored.size, 6);
});

test('a Function waits for its Secret, and follows its changes', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', { envFrom: [{ secretRef: { name: 's' } }] });
  const missing = await world.condition('hello', 'Ready', 'False');
  assert.equal(missing.reason, 'EnvironmentNotFound');
  assert.match(missing.message ?? '', /Secret "s" does not exist/);
  await world.put('Secret', 's', { TOKEN: 'YQ==' });
  const first = (await world.ready('hello')).status?.revision;
  assert.equal(world.executor.instances()[0]?.revision.env.TOKEN, 'a');
  await world.put('Secret', 's', { TOKEN: 'Yg==' });
  await world.until(
    async () =>
      (await world.functions.get({ namespace, name: 'hello' })).status?.revision !== first,
  );
  await world.until(() => world.executor.instances().length === 1);
  assert.equal(world.executor.instances()[0]?.revision.env.TOKEN, 'b');
});

test('a Function made of a ConfigMap waits for it, follows its changes, and outlives it', async () => {
  await using world = await new World(createMachine()).start();
  const { stored } = world.machine.artifacts;
  await world.apply('hello', { source: { configMap: { name: 'code' } } });
  const missing = await world.condition('hello', 'SourceReady', 'False');
  assert.equal(missing.reason, 'SourceNotFound');
  await world.put('ConfigMap', 'code', { 'handler.js': 'one' });
  const first = (await world.ready('hello')).status?.revision;
  await world.put('ConfigMap', 'code', { 'handler.js': 'two' });
  await world.until(
    async () =>
      (await world.functions.get({ namespace, name: 'hello' })).status?.revision !== first,
  );
  const files = [...stored.values()].map((source) => source.files);
  assert.deepEqual(files, [{ 'handler.js': 'one' }, { 'handler.js': 'two' }]);
  await world.remove('ConfigMap', 'code');
  await world.condition('hello', 'SourceReady', 'False');
  assert.notEqual(await world.call('hello'), first);
});

test('a Function sleeps after idleAfter, costs no timer, and wakes with its first call', async () => {
  await using world = await settled();
  const revision = await world.call('hello');
  await world.advance(65_000);
  assert.deepEqual(world.executor.instances(), []);
  const { status } = await world.get('hello');
  assert.equal(status?.replicas, 0);
  await world.condition('hello', 'Ready', 'True');
  const reasons = (await world.events('hello')).map(({ reason }) => reason);
  assert.ok(reasons.includes('ScaledToZero'));
  assert.equal(await world.call('hello'), revision);
  await world.until(
    async () => (await world.functions.get({ namespace, name: 'hello' })).status?.replicas === 1,
  );
});

test('after a restart a Function serves with its first call, and nothing is done before', async () => {
  const machine = createMachine();
  let revision = '';
  {
    await using world = await new World(machine).start();
    await world.apply('hello', {});
    revision = (await world.ready('hello')).status?.revision ?? '';
    await world.advance(500);
  }
  const { prepared } = machine.artifacts;
  await using world = await new World(machine).start();
  assert.equal(world.gateway.routes.get('default/hello')?.revision, `default/${revision}`);
  const before = await world.get('hello');
  await world.advance(1000);
  assert.deepEqual(world.executor.instances(), []);
  assert.equal(machine.artifacts.prepared, prepared);
  const after = await world.get('hello');
  assert.equal(after.status?.replicas, 0);
  assert.deepEqual(after.status?.conditions, before.status?.conditions);
  assert.equal(await world.call('hello'), revision);
});

test('after a restart with lost artifacts the first call is answered all the same', async () => {
  const machine = createMachine();
  {
    await using world = await new World(machine).start();
    await world.apply('hello', {});
    await world.ready('hello');
  }
  machine.artifacts.stored.clear();
  await using world = await new World(machine).start();
  const { status } = await world.get('hello');
  assert.equal(await world.call('hello'), status?.revision);
  assert.equal(machine.artifacts.stored.size, 1);
});

test('after a restart the Revision that worked serves while the newest does not', async () => {
  const machine = createMachine();
  let good = '';
  {
    await using world = await new World(machine).start();
    await world.apply('hello', {});
    good = (await world.ready('hello')).status?.revision ?? '';
    breaking(world, 'two');
    await world.apply('hello', secondInline);
    await world.condition('hello', 'Ready', 'False');
  }
  await using world = await new World(machine).start();
  assert.equal(await world.call('hello'), good);
  await world.condition('hello', 'Ready', 'False');
  assert.equal(await world.call('hello'), good);
});

test('min is awake after a restart without any call', async () => {
  const machine = createMachine();
  const scale = { min: 2, max: 5, target: 50, limit: 0, idleAfter: '60s' };
  {
    await using world = await new World(machine).start();
    await world.apply('hello', { scale });
    await world.ready('hello');
  }
  await using world = await new World(machine).start();
  await world.until(() => world.executor.instances().length === 2);
});

test('a change of scale makes no Revision', async () => {
  await using world = await settled();
  const before = await world.call('hello');
  await world.apply('hello', { scale: { min: 3, max: 5, target: 50, limit: 7, idleAfter: '60s' } });
  const { status } = await world.ready('hello');
  assert.equal(status?.revision, before);
  await world.until(() => world.executor.instances().length === 3);
  assert.equal(world.gateway.routes.get('default/hello')?.concurrencyLimit, 7);
});

test('deleting a Function ends its route at once, and then everything of it', async () => {
  await using world = await settled();
  const deleted = world.functions.delete({ namespace, name: 'hello' });
  await world.until(() => !world.gateway.routes.has('default/hello'));
  await deleted;
  await world.until(() => world.executor.instances().length === 0);
  await world.until(async () => (await world.revisions.list({ namespace })).items.length === 0);
  await world.until(async () => (await world.services()).length === 0);
});

test('a Function that is made again under the same name is a new one', async () => {
  await using world = await settled();
  const first = await world.get('hello');
  await Promise.all([world.functions.delete(objectKey(first)), world.advance(1)]);
  await world.apply('hello', {});
  const second = await world.ready('hello');
  assert.notEqual(second.metadata.uid, first.metadata.uid);
  assert.equal(await world.call('hello'), second.status?.revision);
  await world.until(async () => {
    const { items } = await world.revisions.list({ namespace });
    const owners = items.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
    return owners.length === 1 && owners[0]?.uid === second.metadata.uid;
  });
});

test('a dependency that is missing is asked for with growing pauses, and after any edit', async () => {
  await using world = await new World(createMachine()).start();
  const { artifacts } = world.machine;
  const missing = new FnletError('DependencyNotFound', 'no package "lodahs"');
  artifacts.gate = Promise.reject(missing);
  artifacts.gate.catch(() => {});
  await world.apply('hello', { dependencies: '{"dependencies":{"lodahs":"1"}}' });
  const failed = await world.condition('hello', 'DependenciesReady', 'False');
  assert.equal(failed.reason, 'DependencyNotFound');
  assert.equal(artifacts.prepared, 1);
  await world.advance(6_000);
  assert.equal(artifacts.prepared, 2);
  await world.advance(3_600_000);
  assert.ok(artifacts.prepared <= 12, `asked ${artifacts.prepared} times in an hour`);
  artifacts.gate = Promise.resolve();
  const before = artifacts.prepared;
  const scale = { min: 0, max: 7, target: 50, limit: 0, idleAfter: '60s' };
  await world.apply('hello', { dependencies: '{"dependencies":{"lodahs":"1"}}', scale });
  await world.ready('hello');
  assert.equal(artifacts.prepared, before + 1);
});

test('an installation shows that it goes on', async () => {
  await using world = await new World(createMachine()).start();
  const gate = Promise.withResolvers<void>();
  world.machine.artifacts.gate = gate.promise;
  await world.apply('hello', { dependencies: '{"dependencies":{"lodash":"4"}}' });
  const progress = await world.condition('hello', 'DependenciesReady', 'Unknown');
  assert.equal(progress.message, 'added 1 package');
  gate.resolve();
  await world.ready('hello');
  const reasons = (await world.events('hello')).map(({ reason }) => reason);
  assert.ok(reasons.includes('Installing') && reasons.includes('Installed'));
});

test('a Revision or Service that somebody deletes or changes comes back', async () => {
  await using world = await settled();
  const { status } = await world.get('hello');
  const name = status?.revision ?? '';
  const services = world.client.of<Service>({
    group: '',
    version: 'v1',
    kind: 'Service',
    plural: 'services',
    namespaced: true,
  });
  await Promise.all([
    world.revisions.delete({ namespace, name }),
    services.delete({ namespace, name: 'hello' }),
    world.advance(1),
  ]);
  await world.until(async () => (await revisionNames(world)).includes(name));
  await world.until(async () => (await world.services()).includes('hello'));
  assert.equal(await world.call('hello'), name);
  // Another number under the same name, which the API takes for a port besides.
  const spec = { selector: { x: 'y' }, ports: [{ name: 'http', port: 99 }] };
  await Promise.all([
    services.patch({ namespace, name: 'hello' }, { type: 'merge', patch: { spec } }),
    world.advance(1),
  ]);
  await world.until(async () => {
    const [found] = await Promise.all([
      services.get({ namespace, name: 'hello' }),
      world.advance(1),
    ]);
    const { selector, ports } = found.spec;
    return selector?.x === undefined && ports?.[0]?.port === 80 && ports.length === 2;
  });
  // New Instances belong to the new object.
  const { metadata } = await world.revisions.get({ namespace, name });
  for (const { id } of world.executor.instances()) world.executor.evict(id, 0);
  await world.until(() => {
    const [instance] = world.executor.instances();
    return instance?.phase === 'ready' && instance.revision.owner.uid === metadata.uid;
  });
});

test('Instances that crash are told in the status, and forgotten when they are well', async () => {
  await using world = await settled();
  const crash = (): void => {
    for (const { id } of world.executor.instances()) world.executor.crash(id);
  };
  crash();
  await world.until(() => world.executor.instances().some(({ phase }) => phase === 'ready'));
  const told = async (): Promise<boolean> =>
    (await world.events('hello')).some(({ reason }) => reason === 'InstanceCrashed');
  await world.until(told);
  crash();
  world.patienceMs = 15_000;
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'InstanceCrashed');
  await world.until(() => world.executor.instances().some(({ phase }) => phase === 'ready'));
  await world.ready('hello');
});
