/**
 * What it costs an operator to look at settled objects again (`operator-steady [count]`): 10 000
 * WebSites with three children each, over TLS against the embedded API in a process of its own. The
 * first row is the limit of comparison: the pass that creates everything. Nothing has changed since,
 * so every further pass should write nothing, also that of an operator that was just started, whose
 * memory is empty.
 */
import { report, round } from './_figures.ts';
import { createSites, type Rest, startWorld } from './_website-world.ts';

const count = Number(process.argv[2] ?? '10000');
const workers = 16;

function row(rest: Rest): Record<string, number> {
  return {
    reconciles: rest.runs,
    reads: rest.reads,
    writes: rest.applies + rest.others,
    Events: rest.events,
    s: round(rest.seconds),
    'CPU s': round(rest.cpuSeconds, 2),
    'RSS MB': round(rest.rssMb),
    'heap MB': round(rest.heapMb),
  };
}

await using world = await startWorld();
await createSites(world, count);
const first = world.operate(workers);
const created = await first.rest();
const again = await first.resync();
await first.stop();
const second = world.operate(workers);
const restarted = await second.rest();
const settled = await second.resync();
await second.stop();
report(
  'operator-steady',
  {
    'all created': row(created),
    'all again': row(again),
    'all after a restart': row(restarted),
    'and again': row(settled),
  },
  {
    writes: again.applies + again.others,
    cpuSeconds: round(again.cpuSeconds, 2),
    reconcilesPerSecond: round(again.runs / again.seconds, 0),
    restartWrites: restarted.applies + restarted.others,
    restartCpuSeconds: round(restarted.cpuSeconds, 2),
  },
);
