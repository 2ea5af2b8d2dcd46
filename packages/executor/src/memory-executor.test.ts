import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom, VirtualClock } from '@fnlet/base';
import { testExecutor } from '../test/executor-contract.ts';
import { revisionFixture } from '../test/revision-fixture.ts';
import { createMemoryExecutor, type MemoryExecutor } from './memory-executor.ts';

function create(clock: VirtualClock): MemoryExecutor {
  return createMemoryExecutor({
    clock,
    random: seededRandom(1),
    runtimes: ['nodejs24'],
    load: ({ handler }) =>
      handler === 'unloadable'
        ? { failure: { code: 'SyntaxError', message: 'Unexpected token', line: 3 } }
        : { afterMs: 2 },
  });
}

testExecutor('memory executor', () => {
  const clock = new VirtualClock();
  const executor = create(clock);
  return {
    executor,
    crash: (instance) => executor.crash(instance.id),
    async until(condition) {
      for (let i = 0; i < 100 && !condition(); i++) await clock.advance(1);
      assert.ok(condition(), 'the condition holds in the end');
    },
    async [Symbol.asyncDispose]() {
      const closed = executor.close();
      await clock.advance(20_000);
      await closed;
      assert.equal(clock.timers, 0);
    },
  };
});

it('a crash loop restarts with the delays of a kubelet', async () => {
  const clock = new VirtualClock(0);
  const executor = create(clock);
  const startedAtMs: number[] = [];
  executor.subscribe(({ kind, instance }) => {
    if (kind === 'starting') startedAtMs.push(clock.now());
    if (kind === 'ready') executor.crash(instance.id);
  });
  executor.ensure(revisionFixture(), 1);
  await clock.advance(1_300_000);
  const waitsS = startedAtMs
    .slice(1)
    .map((at, i) => Math.floor((at - (startedAtMs[i] ?? 0)) / 1000));
  assert.deepEqual(waitsS, [0, 10, 20, 40, 80, 160, 300, 300, 300]);
});

it('a crash after ten healthy minutes is replaced at once again', async () => {
  const clock = new VirtualClock(0);
  const executor = create(clock);
  executor.ensure(revisionFixture(), 1);
  for (const _ of [1, 2, 3]) {
    await clock.advance(600_010);
    const [instance] = executor.instances();
    assert.equal(instance?.phase, 'ready');
    executor.crash(instance?.id ?? '');
    assert.equal(executor.instances()[0]?.phase, 'starting');
  }
});

it('an Instance is told to end when its last call is over, and not before', async () => {
  const clock = new VirtualClock(0);
  const uncalled = Promise.withResolvers<void>();
  const asked: string[] = [];
  const executor = createMemoryExecutor({
    clock,
    random: seededRandom(1),
    untilUncalled: ({ id, phase }, withinMs) => {
      asked.push(`${id} ${phase}, ${withinMs} ms`);
      return uncalled.promise;
    },
  });
  const revision = revisionFixture();
  executor.ensure(revision, 2);
  await clock.advance(1);
  const [oldest, youngest] = executor.instances();
  executor.ensure(revision, 1);
  await clock.advance(revision.limits.drainMs - 1);
  assert.deepEqual(asked, [`${youngest?.id} draining, ${revision.limits.drainMs} ms`]);
  assert.equal(executor.instances().length, 2);
  uncalled.resolve();
  await clock.advance(0);
  assert.deepEqual(
    executor.instances().map(({ id }) => id),
    [oldest?.id],
  );
});

it('patience with the calls of an Instance that is to end has an end', async () => {
  const clock = new VirtualClock(0);
  const executor = createMemoryExecutor({
    clock,
    random: seededRandom(1),
    untilUncalled: () => new Promise(() => {}),
  });
  const revision = revisionFixture();
  executor.ensure(revision, 1);
  await clock.advance(1);
  executor.ensure(revision, 0);
  await clock.advance(revision.limits.drainMs);
  assert.deepEqual(executor.instances(), []);
});
