/** Edits under load: no failed request, and after Ready no answer from older code. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

const awaitedEdits = 200;
const rapidEdits = 800;
const requestsPerSecond = 50;

let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

const sourceOf = (version: number): string => `export default () => '${version}';`;

test(`1 000 edits under ${requestsPerSecond} requests/s: none fails, none answers old code`, async () => {
  const url = `${fnlet.endpoints.gateway}/default/edited`;
  await api.applyFunction('edited', { source: { inline: sourceOf(0) } });
  await api.waitReady('edited');

  // What must at least answer a request that starts now.
  let floor = 0;
  const failures: string[] = [];
  const stale: string[] = [];
  const inFlight = new Set<Promise<void>>();
  const request = async (): Promise<void> => {
    const floorAtStart = floor;
    const answer = await fetch(url).catch((error: unknown) => String(error));
    if (typeof answer === 'string') return void failures.push(answer);
    const text = await answer.text();
    if (answer.status !== 200) return void failures.push(`${answer.status} ${text}`);
    if (Number(text) < floorAtStart) stale.push(`${text} < ${floorAtStart}`);
  };
  const load = setInterval(() => {
    const started = request().finally(() => inFlight.delete(started));
    inFlight.add(started);
  }, 1000 / requestsPerSecond);
  try {
    const settle = async (version: number): Promise<void> => {
      await api.waitReady('edited');
      floor = version;
      assert.equal(await (await fetch(url)).text(), String(version));
    };
    const edit = (version: number): Promise<void> =>
      api.applyFunction('edited', { source: { inline: sourceOf(version) } });
    for (let version = 1; version <= awaitedEdits; version++) {
      await edit(version);
      await settle(version);
    }
    // As fast as they are taken: most rollouts are overtaken by the next edit on their way.
    for (let version = awaitedEdits + 1; version <= awaitedEdits + rapidEdits; version++) {
      await edit(version);
      if (version % 40 === 0) await settle(version);
    }
  } finally {
    clearInterval(load);
  }
  await Promise.all(inFlight);
  assert.deepEqual({ failures, stale }, { failures: [], stale: [] });
});
