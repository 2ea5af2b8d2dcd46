/** Ctrl-C: calls in flight finish; a second Ctrl-C does not wait for them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const slow = `export default async (request) => {
  const ms = Number(new URL(request.url).searchParams.get('ms'));
  console.log('called');
  await new Promise((resolve) => setTimeout(resolve, ms));
  return String(process.pid);
};`;

/** A started Fnlet with a call that is in flight in a function. */
async function startWithCall(
  dataDirectory: string,
  ms: number,
): Promise<{ fnlet: FnletProcess; pid: number; call: Promise<number | string> }> {
  const fnlet = await startFnlet({ dataDirectory });
  const api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('slow', { source: { inline: slow } });
  await api.waitReady('slow');
  await api.close();
  const url = `${fnlet.endpoints.gateway}/default/slow`;
  const pid = Number(await (await fetch(`${url}?ms=0`)).text());
  const call = fetch(`${url}?ms=${ms}`).then(
    (answer) => answer.status,
    (error: unknown) => String(error),
  );
  await until(async () => (await fnlet.cli(['logs', 'slow'])).stdout.split('called').length > 2, {
    what: 'the call to arrive',
  });
  return { fnlet, pid, call };
}

test('the first Ctrl-C lets a call in flight finish, then everything is gone', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const { fnlet, pid, call } = await startWithCall(dataDirectory, 1500);
    // As below npm: one key press, two signals.
    process.kill(fnlet.endpoints.pid, 'SIGINT');
    const code = await fnlet.stop('SIGINT');
    assert.deepEqual([await call, code], [200, 0]);
    assert.equal(existsSync(`/proc/${pid}`), false);
    assert.equal(existsSync(join(dataDirectory, 'endpoints.json')), false);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('the second Ctrl-C ends everything at once', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const { fnlet, pid, call } = await startWithCall(dataDirectory, 25_000);
    const stopped = fnlet.stop('SIGINT');
    await until(() => fnlet.output().includes('Stopping'), { what: 'the first Ctrl-C' });
    const startMs = performance.now();
    // Pressed until it works: what comes within a tenth of a second is the same key press.
    const ended = stopped.then(() => true);
    await until(
      () => {
        if (existsSync(`/proc/${fnlet.endpoints.pid}`)) process.kill(fnlet.endpoints.pid, 'SIGINT');
        return Promise.race([ended, Promise.resolve(false)]);
      },
      { what: 'the second Ctrl-C' },
    );
    assert.equal(await stopped, 130);
    assert.ok(performance.now() - startMs < 1000);
    assert.notEqual(await call, 200);
    await until(() => !existsSync(`/proc/${pid}`), { what: 'the Instance to end' });
    assert.equal(existsSync(join(dataDirectory, 'endpoints.json')), false);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
