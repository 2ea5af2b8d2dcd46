/** `/metrics` of a whole Fnlet, read as its administrator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const phases = ['queue', 'acquire', 'load', 'first_byte'];

test('a cold start is in the metrics, in phases within what its caller waited', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const source = { inline: "export default () => 'awake';" };
  await api.applyFunction('sleeper', { source, scale: { idleAfter: '1s' } });
  await api.waitReady('sleeper');
  const pods = async (): Promise<number> => (await api.podsOf('sleeper')).length;
  await until(async () => (await pods()) === 1, { what: 'its Pod to be shown' });
  await until(async () => (await pods()) === 0, { what: 'it to sleep' });
  const startMs = performance.now();
  const answer = await fetch(`${fnlet.endpoints.gateway}/default/sleeper`);
  const waitedMs = performance.now() - startMs;
  assert.equal(await answer.text(), 'awake');
  const { stdout } = await fnlet.kubectl(['get', '--raw', '/metrics']);
  const read = (pattern: string): number =>
    Number(new RegExp(`^${pattern} (.+)$`, 'm').exec(stdout)?.[1] ?? Number.NaN);
  const labels = 'namespace="default",function="sleeper",revision="[^"]+"';
  assert.equal(read(`fnlet_requests_total\\{${labels},code="200"\\}`), 1);
  assert.equal(read(`fnlet_cold_start_seconds_count\\{${labels}\\}`), 1);
  const told = phases.map((phase) =>
    read(`fnlet_cold_start_phase_seconds_sum\\{${labels},phase="${phase}"\\}`),
  );
  const sum = told.reduce((all, seconds) => all + seconds);
  const total = read(`fnlet_cold_start_seconds_sum\\{${labels}\\}`);
  assert.ok(Math.abs(sum - total) < 1e-6, `${told} are ${total}`);
  assert.ok(total * 1000 <= waitedMs, `${total} s of ${waitedMs} ms`);
  assert.ok(read(`fnlet_instances\\{${labels},phase="ready"\\}`) === 1);
  assert.ok(read(`fnlet_instances_wanted\\{${labels}\\}`) === 1);
  // As linters of Prometheus have it.
  for (const [, name = '', type] of stdout.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.match(stdout, new RegExp(`^# HELP ${name} \\S`, 'm'));
  }
  await api.close();
});
