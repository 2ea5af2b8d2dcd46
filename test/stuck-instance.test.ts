/** A handler that never lets go of its thread costs its callers, and then nobody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const source = `
export default (request) => {
  if (new URL(request.url).searchParams.has('spin')) while (true);
  return String(process.pid);
};`;

test('an Instance that is stuck is replaced once a call of it ran out of time', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('stuck', { source: { inline: source }, timeout: '1s' });
  await api.waitReady('stuck');
  const url = `${fnlet.endpoints.gateway}/default/stuck`;
  const before = await (await fetch(url)).text();
  const startMs = performance.now();
  assert.equal((await fetch(`${url}?spin`)).status, 504);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 5000, `answered after ${tookMs} ms instead of about one second`);
  await until(async () => (await fetch(url)).status === 200, { what: 'the next Instance' });
  assert.notEqual(await (await fetch(url)).text(), before);
  await api.close();
});
