/** `kill -9` of Fnlet and of Instances: nothing answered is lost, nothing is left behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const isRunning = (pid: number | string): boolean => existsSync(`/proc/${pid}`);

/** The processes whose command line mentions this directory. */
async function processesOf(dataDirectory: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const pid of pids) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.includes(dataDirectory)) found.push(pid);
  }
  return found;
}

/** More starts of a program than an Instance may take to be replaced. */
const startsMax = 20;

/**
 * How many programs that do nothing the machine starts, one after another, until `isDone`: a measure
 * of time that grows with its load. Stops counting beyond `startsMax`.
 */
async function startsUntil(isDone: () => boolean): Promise<number> {
  let starts = 0;
  while (!isDone() && starts <= startsMax) {
    await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit');
    starts++;
  }
  return starts;
}

const busySource = `
export default (request) => {
  if (new URL(request.url).searchParams.has('spin')) while (true);
  return String(process.pid);
};`;

test('kill -9 during 1 000 writes: every answered write is there, functions serve, no orphans', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const first = await startFnlet({ dataDirectory });
    const api = await createApi(first.endpoints.kubeconfig);
    await api.applyFunction('busy', { source: { inline: busySource }, timeout: '60s' });
    await api.waitReady('busy');
    const url = `${first.endpoints.gateway}/default/busy`;
    const functionPid = await (await fetch(url)).text();
    // A handler that never lets go of its process must not survive its owner either.
    const spinning = fetch(`${url}?spin`).catch(() => undefined);

    const answered: string[] = [];
    let wrote = 0;
    const writer = async (): Promise<void> => {
      for (let i = wrote++; i < 1000; i = wrote++) {
        const name = await api.createConfigMap(`write-${i}`).catch(() => undefined);
        if (name === undefined) return;
        answered.push(name);
      }
    };
    const writers = Array.from({ length: 16 }, writer);
    await until(() => answered.length >= 500, { what: 'half of the writes' });
    await first.stop('SIGKILL');
    await Promise.all(writers);
    await spinning;
    await api.close();
    await until(() => !isRunning(functionPid), { what: 'the busy Instance to be gone' });
    await until(async () => (await processesOf(dataDirectory)).length === 0, {
      what: 'no process of this Fnlet to be left',
    });

    const second = await startFnlet({ dataDirectory });
    const again = await createApi(second.endpoints.kubeconfig);
    const names = new Set(await again.configMapNames());
    assert.deepEqual(
      answered.filter((name) => !names.has(name)),
      [],
    );
    assert.ok(answered.length < 1000, 'the kill came in the middle');
    const answer = await fetch(`${second.endpoints.gateway}/default/busy`);
    assert.equal(answer.status, 200);
    assert.notEqual(await answer.text(), functionPid);
    await again.close();
    assert.equal(await second.stop('SIGTERM'), 0);
    assert.deepEqual(await processesOf(dataDirectory), []);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('kill -9 of an Instance under load: only its own calls fail, and it is replaced at once', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const url = `${fnlet.endpoints.gateway}/default/victim`;
  const inline = `export default async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return String(process.pid);
  };`;
  await api.applyFunction('victim', { source: { inline }, scale: { min: 1, max: 1 } });
  await api.waitReady('victim');
  const pid = Number(await (await fetch(url)).text());

  let killedAtMs = Number.POSITIVE_INFINITY;
  let replaced = false;
  let starts = 0;
  const failed: string[] = [];
  let running = true;
  const load = async (method: 'GET' | 'POST'): Promise<void> => {
    while (running) {
      const startedMs = performance.now();
      const answer = await fetch(url, { method, ...(method === 'POST' ? { body: 'x' } : {}) });
      const text = await answer.text();
      if (answer.status === 200) {
        if (Number(text) !== pid) replaced = true;
      } else if (method === 'POST' && answer.status === 502 && startedMs <= killedAtMs) {
        // In flight in the killed Instance and not safe to send again: it may fail, once.
      } else {
        failed.push(`${method} ${answer.status} ${text}`);
      }
    }
  };
  const loads = [load('GET'), load('GET'), load('GET'), load('POST'), load('POST')];
  try {
    const handled = await until(() => (performance.now() > 0 ? true : undefined), { what: 'load' });
    assert.ok(handled);
    killedAtMs = performance.now();
    process.kill(pid, 'SIGKILL');
    starts = await startsUntil(() => replaced);
  } finally {
    running = false;
  }
  await Promise.all(loads);
  assert.deepEqual(failed, []);
  // About a second where nothing else runs; a back-off would take ten times as long.
  assert.ok(starts <= startsMax, `replaced after ${starts} starts of a program`);
  const [pod] = await api.podsOf('victim');
  assert.equal(pod?.restarts, 1);
  await api.close();
});

test('a crash loop never spins, and says what happens', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const inline = `setTimeout(() => process.exit(3), 20);
export default () => 'alive';`;
  await api.applyFunction('looping', { source: { inline }, scale: { min: 1 } });
  const pod = await until(
    async () => (await api.podsOf('looping')).find(({ waiting }) => waiting === 'CrashLoopBackOff'),
    { what: 'CrashLoopBackOff' },
  );
  assert.ok(pod.restarts >= 1 && pod.restarts <= 3, `${pod.restarts} restarts`);
  assert.equal(pod.lastExitCode, 3);
  await api.close();
});
