/**
 * Requests to sleeping Functions of a cluster whose Pods are processes of this machine: through the
 * Gateway, to the controller, to a warm Pod, back, and to the Pod. Beside them calls of what is
 * awake, and what a wake costs without a pool: a Pod of its own, from nothing (`deployment`).
 *
 *     node bench/cluster-wakes.ts [--rounds 3]
 *
 * All of it is over loopback, so what is measured is Fnlet's own share of a wake. One function wakes
 * at a time, while no other goes to sleep and no Pod starts: in a cluster these would be other
 * machines' work, here they would take the processor from the wake.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ClusterParts } from '../test/cluster-parts.ts';
import { until } from '../test/until.ts';
import { type ClusterObject, makeFunction, podsOf, untilAsleep } from './_cluster.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { httpGet } from './_http-get.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);
const functions = 15;
/** All of a round are woken sooner than the first of them goes to sleep again. */
const idleAfter = '40s';
/** A Pod that has started rehearses loading and calling for so long before somebody needs it. */
const rehearsalMs = 1_000;

await using cluster = await ClusterParts.start();
await cluster.controller();
const gateway = await cluster.gateway();

async function timeRequest(name: string): Promise<number> {
  const startMs = performance.now();
  await httpGet(`${gateway.url}/default/${name}`);
  return performance.now() - startMs;
}

/** Until the pool has a Pod that runs, and that no wake has taken; then that is taken. */
async function untilWarm(taken: Set<string>): Promise<void> {
  const { name } = await until(
    async () => {
      const pods = await podsOf(cluster, 'fnlet.dev/pool=nodejs24');
      const isFree = ({ metadata, status }: ClusterObject): boolean =>
        status?.phase === 'Running' && !taken.has(metadata.name);
      return pods.find(isFree)?.metadata;
    },
    { what: 'a warm Pod', timeoutMs: 60_000 },
  );
  taken.add(name);
  await sleep(rehearsalMs);
}

const scale = { idleAfter };
const names = Array.from({ length: functions }, (_, index) => `wake-${index}`);
for (const name of names) await makeFunction(cluster, name, { scale });
await makeFunction(cluster, 'own', { scale, executor: 'deployment' });
const taken = new Set<string>();
const woken: number[] = [];
const awake: number[] = [];
const own: number[] = [];
for (let turn = 0; turn < rounds; turn++) {
  await untilAsleep(cluster);
  for (const name of names) {
    await untilWarm(taken);
    woken.push(await timeRequest(name));
    for (let call = 0; call < 5; call++) awake.push(await timeRequest(name));
  }
  own.push(await timeRequest('own'));
}
report(
  'cluster-wakes',
  {
    'asleep, a warm Pod of the pool': latencyRow(woken),
    'asleep, a Pod of its own is made': latencyRow(own),
    awake: latencyRow(awake),
  },
  {
    p50Ms: round(quantile(woken, 0.5), 2),
    p99Ms: round(quantile(woken, 0.99), 2),
    addedP50Ms: round(quantile(woken, 0.5) - quantile(awake, 0.5), 2),
    ownPodP50Ms: round(quantile(own, 0.5), 2),
  },
);
