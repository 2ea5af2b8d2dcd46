/** Instances that are killed, stopped, slowed down and evicted under load: nobody notices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { runChaos } from './chaos-run.ts';
import { startFnlet } from './fnlet-process.ts';

const seconds = Number(process.env.SECONDS ?? 20);
const seed = Number(process.env.SEED ?? 1);

const timeout = (seconds + 100) * 1000;

test(`no call that may be made twice fails in chaos (seed ${seed})`, { timeout }, async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  try {
    const { gateway } = fnlet.endpoints;
    const counts = await runChaos({ api, gateway, seconds, seed });
    assert.deepEqual(counts.failed, []);
    for (const lost of counts.lost) assert.match(lost, /^POST: 502 The Instance went away/);
    assert.ok(counts.kills > 0 && counts.stops > 0 && counts.slowDowns > 0 && counts.evictions > 0);
    assert.ok(counts.calls > seconds * 10, `${counts.calls} calls`);
  } finally {
    await api.close();
  }
});
