/**
 * From process start to the first successful `kubectl get ns`, 10 times on a data directory that
 * has been used before; memory when idle, with 1 000 sleeping Functions and with 10 000 objects.
 * The limits beside it: bare Node, and kubectl alone.
 */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from '../test/api-access.ts';
import {
  kubectlProgram,
  makeDataDirectory,
  runProgram,
  startFnlet,
} from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { quantile, report, round } from './_figures.ts';

const starts = 10;
/** For so long somebody has worked with Fnlet when it is started again. */
const usedMs = 5_000;
const sleeping = 1000;
const objects = 10_000;

/** Resident memory of one process, in MB. */
function residentMB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
}

async function timeProgram(command: string, args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const { code, stderr } = await runProgram(command, args, {
    env: { PATH: process.env.PATH ?? '' },
  });
  if (code !== 0) throw new Error(stderr);
  return performance.now() - startMs;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

/** Resolves once somebody listens on the port of loopback. */
async function untilListening(port: number): Promise<void> {
  const isListening = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await until(isListening, { what: `port ${port} to listen` });
}

const dataDirectory = await makeDataDirectory();
// One port for all starts, so that the kubeconfig of the first is good for the others.
const args = ['--api-port', String(await freePort())];
const first = await startFnlet({ dataDirectory, args });
// What a start finds out about its kinds is kept for the next one when it is calm.
await sleep(usedMs);
await first.stop();
const env = { PATH: process.env.PATH ?? '', KUBECONFIG: join(dataDirectory, 'kubeconfig') };
const ready: number[] = [];
const apiListening: number[] = [];
const allListening: number[] = [];
const bareNode: number[] = [];
const bareKubectl: number[] = [];
for (let turn = 0; turn < starts; turn++) {
  const startMs = performance.now();
  const starting = startFnlet({ dataDirectory, args }).then((started) => {
    allListening.push(performance.now() - startMs);
    return started;
  });
  await untilListening(Number(args[1]));
  apiListening.push(performance.now() - startMs);
  const get = ['--cache-dir', join(dataDirectory, 'kubectl-cache'), 'get', 'ns'];
  const { code, stderr } = await runProgram(kubectlProgram(), get, { env });
  if (code !== 0) throw new Error(stderr);
  ready.push(performance.now() - startMs);
  await (await starting).stop();
  bareNode.push(await timeProgram(process.execPath, ['-e', '0']));
  bareKubectl.push(await timeProgram(kubectlProgram(), ['version', '--client']));
}

const fnlet = await startFnlet({ dataDirectory });
const api = await createApi(fnlet.endpoints.kubeconfig);
const idleMB = residentMB(fnlet.endpoints.pid);
const names = Array.from({ length: sleeping }, (_, index) => `sleeper-${index}`);
for (let at = 0; at < sleeping; at += 20) {
  const batch = names.slice(at, at + 20);
  for (const name of batch) {
    const source = { inline: `export default () => '${name}';` };
    await api.applyFunction(name, { source, scale: { idleAfter: '1s' } });
  }
  for (const name of batch) await api.waitReady(name);
}
for (const name of names) {
  await until(async () => (await api.podsOf(name)).length === 0, { what: `${name} to sleep` });
}
const sleepingMB = residentMB(fnlet.endpoints.pid);
await fnlet.stop();
const restarted = await startFnlet({ dataDirectory });
const restartedMB = residentMB(restarted.endpoints.pid);
await restarted.stop();
await api.close();
await rm(dataDirectory, { recursive: true, force: true });

await using filled = await startFnlet();
const filledApi = await createApi(filled.endpoints.kubeconfig);
for (let at = 0; at < objects; at += 50) {
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => filledApi.createConfigMap(`object-${at + index}`)),
  );
}
const objectsMB = residentMB(filled.endpoints.pid);
await filledApi.close();

const row = (samples: readonly number[]): Record<string, number> => ({
  'p50 ms': round(quantile(samples, 0.5)),
  'max ms': round(Math.max(...samples)),
});
report(
  'start',
  {
    'start to first kubectl get ns': row(ready),
    'start to the API listening': row(apiListening),
    'start to everything listening': row(allListening),
    'bare Node': row(bareNode),
    'kubectl version --client': row(bareKubectl),
    idle: { 'RSS MB': round(idleMB) },
    [`${sleeping} sleeping Functions`]: { 'RSS MB': round(sleepingMB) },
    [`${sleeping} sleeping Functions, restarted`]: { 'RSS MB': round(restartedMB) },
    [`${objects} objects`]: { 'RSS MB': round(objectsMB) },
  },
  {
    readyMs: round(quantile(ready, 0.5)),
    idleRssMB: round(idleMB),
    objectsRssMB: round(objectsMB),
  },
);
