/** Ctrl-C: calls in flight finish; a second Ctrl-C does not wait for them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

// A call lasts until its file is there.
const slow = `import { existsSync } from 'node:fs';
export default async (request) => {
  const file = new URL(request.url).searchParams.get('file');
  console.log('called');
  while (file !== null && !existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5));
  return String(process.pid);
};`;

/** A started Fnlet with a call that is in flight in a function. */
async function startWithCall(dataDirectory: string): Promise<{
  readonly fnlet: FnletProcess;
  readonly pid: number;
  readonly call: Promise<number | string>;
  readonly finish: () => Promise<void>;
}> {
  const fnlet = await startFnlet({ dataDirectory });
  const api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('slow', { source: { inline: slow } });
  await api.waitReady('slow');
  await api.close();
  const url = `${fnlet.endpoints.gateway}/default/slow`;
  const pid = Number(await (await fetch(url)).text());
  const file = join(dataDirectory, 'finish');
  const call = fetch(`${url}?file=${encodeURIComponent(file)}`).then(
    (answer) => answer.status,
    (error: unknown) => String(error),
  );
  await until(async () => (await fnlet.cli(['logs', 'slow'])).stdout.split('called').length > 2, {
    what: 'the call to arrive',
  });
  return { fnlet, pid, call, finish: () => writeFile(file, '') };
}

test('the first Ctrl-C lets a call in flight finish, then everything is gone', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const { fnlet, pid, call, finish } = await startWithCall(dataDirectory);
    // As below npm: one key press, two signals.
    process.kill(fnlet.endpoints.pid, 'SIGINT');
    const stopped = fnlet.stop('SIGINT');
    await until(() => fnlet.output().includes('Stopping'), { what: 'the first Ctrl-C' });
    await finish();
    assert.deepEqual([await call, await stopped], [200, 0]);
    assert.equal(existsSync(`/proc/${pid}`), false);
    assert.equal(existsSync(join(dataDirectory, 'endpoints.json')), false);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('the second Ctrl-C ends everything at once', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const { fnlet, pid, call } = await startWithCall(dataDirectory);
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
