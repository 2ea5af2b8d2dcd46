import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Executor, Instance, InstanceEvent } from '../src/executor.ts';
import { revisionFixture } from './revision-fixture.ts';

/** An executor under test. Revisions with the handler `unloadable` do not load. */
export interface ExecutorHarness extends AsyncDisposable {
  readonly executor: Executor;
  /** Ends the process of an Instance from outside. */
  crash(instance: Instance): void;
  /** Lets things happen until the condition holds; fails when it never does. */
  until(condition: () => boolean): Promise<void>;
}

const revision = revisionFixture();

function record(executor: Executor): InstanceEvent[] {
  const events: InstanceEvent[] = [];
  executor.subscribe((event) => {
    // Told where calls come by another way than code: by Pods.
    if (event.kind !== 'expecting') events.push(event);
  });
  return events;
}

function readyCount(executor: Executor): number {
  return executor.instances(revision.id).filter(({ phase }) => phase === 'ready').length;
}

function only(executor: Executor): Instance {
  const [instance, ...others] = executor.instances(revision.id);
  assert.ok(instance !== undefined && others.length === 0);
  return instance;
}

type CreateHarness = () => ExecutorHarness;

/** What every Executor does, whatever its Instances are made of. */
export function testExecutor(name: string, createHarness: CreateHarness): void {
  describe(name, () => {
    testWanted(createHarness);
    testFailures(createHarness);
    testEnds(createHarness);
  });
}

function testWanted(createHarness: CreateHarness): void {
  it('ensure() brings as many Instances to life as wanted, each with an address', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 3);
    assert.equal(executor.instances(revision.id).length, 3);
    await until(() => readyCount(executor) === 3);
    const addresses = executor.instances().map(({ address }) => address);
    assert.equal(new Set(addresses.map((address) => JSON.stringify(address))).size, 3);
    assert.ok(!addresses.includes(undefined));
    assert.match(executor.instances()[0]?.id ?? '', /^hello-00001-[a-z0-9]{5}$/);
  });

  it('ensure() with the same numbers does nothing', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 1);
    await until(() => readyCount(executor) === 1);
    const events = record(executor);
    executor.ensure(revision, 1);
    assert.deepEqual(events, []);
  });

  it('tells starting, ready, draining and stopped in this order', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    const events = record(executor);
    executor.ensure(revision, 1);
    await until(() => readyCount(executor) === 1);
    executor.ensure(revision, 0);
    await until(() => executor.instances().length === 0);
    assert.deepEqual(
      events.map(({ kind, instance }) => `${kind} ${instance.phase}`),
      ['starting starting', 'ready ready', 'draining draining', 'stopped stopped'],
    );
  });

  it('ensure() of fewer drains the youngest', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 1);
    await until(() => readyCount(executor) === 1);
    const oldest = only(executor).id;
    executor.ensure(revision, 3);
    await until(() => readyCount(executor) === 3);
    executor.ensure(revision, 1);
    await until(() => executor.instances().length === 1);
    assert.equal(only(executor).id, oldest);
  });

  it('a listener may call ensure(), and one that throws disturbs nobody', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    const other = revisionFixture({ revision: 'other-00001' });
    executor.subscribe(({ kind, instance }) => {
      if (kind === 'ready' && instance.revision.id === revision.id) executor.ensure(other, 1);
      throw new Error('a broken listener');
    });
    const events = record(executor);
    executor.ensure(revision, 1);
    await until(() => events.filter(({ kind }) => kind === 'ready').length === 2);
    assert.deepEqual(
      events.map(({ kind, instance }) => `${instance.revision.revision} ${kind}`),
      ['hello-00001 starting', 'hello-00001 ready', 'other-00001 starting', 'other-00001 ready'],
    );
  });
}

function testFailures(createHarness: CreateHarness): void {
  it('replaces a crashed Instance at once, under the same name', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 1);
    await until(() => readyCount(executor) === 1);
    const before = only(executor);
    const events = record(executor);
    harness.crash(before);
    await until(() => events.some(({ kind }) => kind === 'ready'));
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['crashed', 'starting', 'ready'],
    );
    const after = only(executor);
    assert.equal(after.id, before.id);
    assert.equal(after.restarts, 1);
    assert.ok(after.lastExit !== undefined);
    assert.notDeepEqual(after.address, before.address);
    assert.equal(events[0]?.instance.address, undefined);
  });

  it('backs off when it crashes again', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 1);
    await until(() => readyCount(executor) === 1);
    harness.crash(only(executor));
    await until(() => only(executor).restarts === 1 && readyCount(executor) === 1);
    harness.crash(only(executor));
    await until(() => only(executor).phase === 'backingOff');
    assert.equal(only(executor).restarts, 1);
  });

  it('tells why code does not load, and backs off', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    const events = record(executor);
    executor.ensure(revisionFixture({ handler: 'unloadable' }), 1);
    await until(() => events.some(({ kind }) => kind === 'loadFailed'));
    const { instance } = events.at(-1) ?? {};
    assert.equal(instance?.phase, 'backingOff');
    assert.equal(instance?.lastExit?.failure?.code, 'SyntaxError');
    assert.equal(instance?.lastExit?.failure?.line, 3);
  });

  it('tells that a runtime is not known', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    const events = record(executor);
    executor.ensure(revisionFixture({ runtime: 'cobol85' }), 1);
    await until(() => events.some(({ kind }) => kind === 'loadFailed'));
    assert.match(events.at(-1)?.instance.lastExit?.failure?.message ?? '', /"cobol85"/);
  });
}

function testEnds(createHarness: CreateHarness): void {
  it('an Instance that backs off goes away in the same tick', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revisionFixture({ handler: 'unloadable' }), 1);
    await until(() => only(executor).phase === 'backingOff');
    executor.ensure(revision, 0);
    assert.deepEqual(executor.instances(), []);
  });

  it('evict() ends an Instance, and another one takes its place', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 1);
    await until(() => readyCount(executor) === 1);
    const evicted = only(executor).id;
    executor.evict(evicted, 1_000);
    await until(() => executor.instances().length === 1 && readyCount(executor) === 1);
    assert.notEqual(only(executor).id, evicted);
  });

  it('close() ends all Instances and starts no more', async () => {
    await using harness = createHarness();
    const { executor, until } = harness;
    executor.ensure(revision, 2);
    await until(() => readyCount(executor) === 2);
    let closed = false;
    void executor.close().then(() => {
      closed = true;
    });
    await until(() => closed);
    assert.deepEqual(executor.instances(), []);
    executor.ensure(revision, 1);
    assert.deepEqual(executor.instances(), []);
  });
}
