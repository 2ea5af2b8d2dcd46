/** Sleep and wake: nothing runs while nobody calls, and nobody notices. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

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

const pidSource = 'export default () => String(process.pid);';
const isRunning = (pid: string): boolean => existsSync(`/proc/${pid}`);

test('an idle Function has no process, and the next request is answered', async () => {
  const url = `${fnlet.endpoints.gateway}/default/sleepy`;
  await api.applyFunction('sleepy', { source: { inline: pidSource }, scale: { idleAfter: '1s' } });
  await api.waitReady('sleepy');
  const firstPid = await (await fetch(url)).text();
  assert.ok(isRunning(firstPid));
  await until(() => !isRunning(firstPid), { what: 'the process to end' });
  await until(async () => (await api.podsOf('sleepy')).length === 0, { what: 'the Pod to go' });

  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  assert.notEqual(await answer.text(), firstPid);
  assert.equal((await api.getFunction('sleepy')).ready, true);
});

test('who sees that Functions are Ready sees their Pods, too', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `shown-${index}`);
  const scale = { min: 1 };
  const applied = names.map((name) =>
    api.applyFunction(name, { source: { inline: pidSource }, scale }),
  );
  await Promise.all(applied);
  const seen = names.map(async (name) => {
    await api.waitReady(name);
    return (await api.podsOf(name)).map(({ isReady }) => isReady);
  });
  assert.deepEqual(
    await Promise.all(seen),
    names.map(() => [true]),
  );
  await Promise.all(names.map((name) => api.deleteFunction(name)));
});

test('100 parallel first requests start one Instance, and none fails', async () => {
  const url = `${fnlet.endpoints.gateway}/default/crowd`;
  await api.applyFunction('crowd', {
    source: { inline: pidSource },
    scale: { idleAfter: '1s', target: 200 },
  });
  await api.waitReady('crowd');
  const firstPid = await (await fetch(url)).text();
  await until(() => !isRunning(firstPid), { what: 'the process to end' });

  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const answer = await fetch(url);
      return `${answer.status} ${await answer.text()}`;
    }),
  );
  assert.equal(new Set(answers).size, 1, 'all from one process');
  assert.match(answers[0] ?? '', /^200 \d+$/);
});

test('idleAfter 0 never sleeps', async () => {
  await api.applyFunction('awake', { source: { inline: pidSource }, scale: { idleAfter: '0' } });
  await api.waitReady('awake');
  const pid = await (await fetch(`${fnlet.endpoints.gateway}/default/awake`)).text();
  // The other Function sleeps after a second; by then this one would have, too.
  await api.applyFunction('clock', { source: { inline: pidSource }, scale: { idleAfter: '1s' } });
  await api.waitReady('clock');
  const clockPid = await (await fetch(`${fnlet.endpoints.gateway}/default/clock`)).text();
  await until(() => !isRunning(clockPid), { what: 'the other Function to sleep' });
  assert.ok(isRunning(pid));
});
