/**
 * From `ensure()` with a warm pool to the event `ready`, and the memory of a warm Runner. The
 * Runner is the one of the tests, which loads no code: what is measured is this room's own share.
 */
import { readFileSync } from 'node:fs';
import { createProcessHarness, waitUntil } from '../test/process-harness.ts';
import { revisionFixture } from '../test/revision-fixture.ts';

const rounds = 50;

async function measureTake(): Promise<readonly number[]> {
  await using harness = createProcessHarness({ warmMax: 2 });
  const { executor } = harness;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // Long enough for the pool to refill.
    await new Promise((resolve) => setTimeout(resolve, 400));
    const revision = revisionFixture({ revision: `take-${round}` });
    const ready = Promise.withResolvers<void>();
    const stop = executor.subscribe(({ kind }) => {
      if (kind === 'ready') ready.resolve();
    });
    const startedAt = performance.now();
    executor.ensure(revision, 1);
    await ready.promise;
    times.push(performance.now() - startedAt);
    stop();
    executor.ensure(revision, 0);
    await waitUntil(() => executor.instances().length === 0);
  }
  return times.sort((a, b) => a - b);
}

async function measureMemory(): Promise<number> {
  await using harness = createProcessHarness();
  harness.executor.ensure(revisionFixture(), 1);
  await waitUntil(() => harness.executor.instances()[0]?.phase === 'ready');
  const status = readFileSync(`/proc/${harness.executor.instances()[0]?.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(value * 100) / 100;
}

const times = await measureTake();
const figures = {
  p50Ms: percentile(times, 0.5),
  p99Ms: percentile(times, 0.99),
  warmRssMB: Math.round(await measureMemory()),
};
process.stdout.write(`ensure() to ready, warm pool, ${rounds} rounds\n`);
process.stdout.write(`  p50 ${figures.p50Ms} ms   p99 ${figures.p99Ms} ms\n`);
process.stdout.write(`memory of a warm Runner: ${figures.warmRssMB} MB\n`);
process.stdout.write(`${JSON.stringify({ bench: 'take', figures })}\n`);
