import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createMemoryExecutor, type InstancesUsage, type RunnableRevision } from '@fnlet/executor';
import { sampleRunnable } from '../../test/samples.ts';
import { UsageReadings } from './usage-readings.ts';

interface Run {
  readonly clock: VirtualClock;
  readonly readings: UsageReadings;
  readonly revision: RunnableRevision;
  reads: number;
  /** CPU that each Instance uses, oldest first. */
  cores: readonly number[];
  ensure(count: number): Promise<void>;
}

async function start(resources?: RunnableRevision['resources']): Promise<Run> {
  const clock = new VirtualClock();
  const executor = createMemoryExecutor({ clock, random: seededRandom(1) });
  const bare = sampleRunnable('a');
  const revision = resources === undefined ? bare : { ...bare, resources };
  const readUsage = (): Promise<Pick<InstancesUsage, 'instances'>> => {
    run.reads++;
    const instances = executor.instances(revision.id).map(({ id }, index) => ({
      key: { namespace: 'default', name: id },
      usage: { cores: run.cores[index] ?? 0, memoryBytes: 64 * 1024 * 1024 },
    }));
    return Promise.resolve({ instances });
  };
  const run: Run = {
    clock,
    readings: new UsageReadings({ readUsage, executor, clock, logger: silentLogger }),
    revision,
    reads: 0,
    cores: [0.5, 0.25],
    ensure: async (count) => {
      executor.ensure(revision, count);
      await clock.advance(10);
    },
  };
  await run.ensure(1);
  return run;
}

test('nothing is read, and no timer runs, unless somebody asks', async () => {
  const run = await start();
  await run.clock.advance(600_000);
  assert.deepEqual([run.reads, run.clock.timers], [0, 0]);
  run.readings.of(run.revision);
  await run.clock.advance(600_000);
  assert.deepEqual([run.reads, run.clock.timers], [1, 0]);
});

test('use is a percentage of a core where nothing is requested, and memory is not known', async () => {
  const run = await start();
  assert.deepEqual(run.readings.of(run.revision), { cpu: undefined, memory: undefined });
  await run.clock.advance(0);
  assert.deepEqual(run.readings.of(run.revision), { cpu: 50, memory: undefined });
});

test('use is a percentage of what is requested, or else of the limit', async () => {
  const run = await start({ requests: { cpu: '250m' }, limits: { cpu: '1', memory: '128Mi' } });
  run.readings.of(run.revision);
  await run.clock.advance(0);
  assert.deepEqual(run.readings.of(run.revision), { cpu: 200, memory: 50 });
});

test('while an Instance was not measured yet, nothing is known', async () => {
  const run = await start();
  run.readings.of(run.revision);
  await run.clock.advance(0);
  await run.ensure(2);
  assert.equal(run.readings.of(run.revision).cpu, undefined);
  await run.clock.advance(15_000);
  assert.equal(run.readings.of(run.revision).cpu, 37.5);
  assert.equal(run.reads, 2);
  run.readings.close();
  assert.equal(run.clock.timers, 0);
});
