/**
 * 200 requests to sleeping Functions through the Gateway, one after the other. The limit beside it:
 * a fresh Node process from spawn to its first answer, which is what a cold start costs without
 * warm Runners.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi, type TestApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { httpGet } from './_http-get.ts';

const functions = 20;
const rounds = 10;
const source = "export default () => 'hello';";

async function timeRequest(url: string): Promise<number> {
  const startMs = performance.now();
  await httpGet(url);
  return performance.now() - startMs;
}

async function untilAsleep(api: TestApi, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await until(async () => (await api.podsOf(name)).length === 0, {
      what: `${name} to sleep`,
      timeoutMs: 60_000,
    });
  }
}

async function timeFreshProcess(): Promise<number> {
  const server = `require('node:http').createServer((_, answer) => answer.end('hello'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
  const startMs = performance.now();
  const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  await httpGet(`http://127.0.0.1:${String(port).trim()}`);
  const tookMs = performance.now() - startMs;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return tookMs;
}

await using fnlet = await startFnlet();
const api = await createApi(fnlet.endpoints.kubeconfig);
const names = Array.from({ length: functions }, (_, index) => `cold-${index}`);
for (const name of names) {
  await api.applyFunction(name, { source: { inline: source }, scale: { idleAfter: '1s' } });
  await api.waitReady(name);
}
const url = (name: string): string => `${fnlet.endpoints.gateway}/default/${name}`;
const cold: number[] = [];
const warm: number[] = [];
const fresh: number[] = [];
for (let turn = 0; turn < rounds; turn++) {
  await untilAsleep(api, names);
  for (const name of names) {
    cold.push(await timeRequest(url(name)));
    warm.push(await timeRequest(url(name)));
    // One wake at a time, as a quiet machine sees them; the pool refills meanwhile.
    await sleep(150);
  }
  fresh.push(await timeFreshProcess(), await timeFreshProcess());
}
await api.close();
report(
  'cold-request',
  {
    'cold, through the Gateway': latencyRow(cold),
    'warm, through the Gateway': latencyRow(warm),
    'a fresh Node process': latencyRow(fresh),
  },
  { p50Ms: round(quantile(cold, 0.5), 2), p99Ms: round(quantile(cold, 0.99), 2) },
);
