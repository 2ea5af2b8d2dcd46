/**
 * What clients notice while Instances are killed, stopped, slowed down and evicted at random, and
 * what was done in that time. Calls that may be made twice must not fail.
 *
 *     node bench/chaos.ts [--seconds 300] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { createApi } from '../test/api-access.ts';
import { runChaos } from '../test/chaos-run.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { report, round } from './_figures.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
  },
});

await using fnlet = await startFnlet();
const api = await createApi(fnlet.endpoints.kubeconfig);
const counts = await runChaos({
  api,
  gateway: fnlet.endpoints.gateway,
  seconds: Number(values.seconds),
  seed: Number(values.seed),
});
await api.close();
const { failed, lost, slowestMs, ...done } = counts;
for (const failure of failed) process.stderr.write(`${failure}\n`);
const figures = {
  ...done,
  failed: failed.length,
  lostPosts: lost.length,
  slowestMs: round(slowestMs, 0),
};
report('chaos', { [`${values.seconds} s, seed ${values.seed}`]: figures }, figures);
