/**
 * Requests to sleeping Functions of a cluster whose Pods are processes of this machine: through the
 * Gateway, to the controller, to a warm Pod, back, and to the Pod. Beside them calls of what is
 * awake, and what a wake costs without a pool: a Pod of its own, from nothing (`deployment`).
 *
 *     node bench/cluster-wakes.ts [--rounds 10]
 *
 * All of it is over loopback, so what is measured is Fnlet's own share of a wake.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ClusterParts } from '../test/cluster-parts.ts';
import { until } from '../test/until.ts';
import { makeFunction, podsOf, untilAsleep } from './_cluster.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { httpGet } from './_http-get.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const rounds = Number(values.rounds);
const functions = 10;
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

/** Until the pool has a Pod that runs. */
async function untilWarm(): Promise<void> {
  await until(
    async () => {
      const pods = await podsOf(cluster, 'fnlet.dev/pool=nodejs24');
      return pods.some(({ status }) => status?.phase === 'Running');
    },
    { what: 'a warm Pod', timeoutMs: 60_000 },
  );
  await sleep(rehearsalMs);
}

const scale = { idleAfter: '1s' };
const names = Array.from({ length: functions }, (_, index) => `wake-${index}`);
for (const name of names) await makeFunction(cluster, name, { scale });
await makeFunction(cluster, 'own', { scale, executor: 'deployment' });
const woken: number[] = [];
const awake: number[] = [];
const own: number[] = [];
for (let turn = 0; turn < rounds; turn++) {
  await untilAsleep(cluster);
  for (const name of names) {
    await untilWarm();
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
