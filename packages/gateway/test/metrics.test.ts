/** What the Gateway counts, as Prometheus reads it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics, VirtualClock } from '@fnlet/base';
import { eventually, type Rig, revision, startRig, startWarmRig } from './rig.ts';

const ask = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const hello = ask('/default/hello/');
const labels = 'namespace="default",function="hello",revision="hello-1"';

/** The value of a series; NaN when it is not there. */
function read(rig: Rig, series: string): number {
  const lines = formatMetrics(rig.gateway.metrics()).split('\n');
  const line = lines.find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? Number.NaN);
}

test('calls are counted by status, and what the Gateway answers itself by why', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => {
    answer.writeHead(incoming.url === '/bad' ? 500 : 200).end();
  });
  await rig.exchange(hello);
  await rig.exchange(hello);
  await rig.exchange(ask('/default/hello/bad'));
  await rig.exchange(ask('/nobody/there'));
  assert.equal(read(rig, `fnlet_requests_total{${labels},code="200"}`), 2);
  assert.equal(read(rig, `fnlet_requests_total{${labels},code="500"}`), 1);
  assert.equal(read(rig, `fnlet_request_duration_seconds_count{${labels}}`), 3);
  assert.equal(read(rig, `fnlet_requests_in_flight{${labels}}`), 0);
  assert.equal(read(rig, 'fnlet_gateway_answers_total{code="404",reason="RouteNotFound"}'), 1);
});

test('a cold start is told in phases, which add up to what its caller waited', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock });
  const answers: (() => void)[] = [];
  const endpoint = await rig.instance((_incoming, answer) => answers.push(() => answer.end()));
  const answered = rig.exchange(hello);
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  assert.equal(read(rig, `fnlet_queue_depth{${labels}}`), 1);
  await clock.advance(2);
  rig.gateway.setEndpoints(revision, []);
  await clock.advance(30);
  rig.gateway.setEndpoints(revision, [{ ...endpoint, starting: true }]);
  await clock.advance(400);
  rig.gateway.setEndpoints(revision, [endpoint]);
  await eventually(() => answers.length === 1);
  await clock.advance(5000);
  answers[0]?.();
  await answered;
  const phase = (name: string): number =>
    read(rig, `fnlet_cold_start_phase_seconds_sum{${labels},phase="${name}"}`);
  assert.deepEqual(['queue', 'acquire', 'load', 'first_byte'].map(phase), [0.002, 0.03, 0.4, 5]);
  assert.equal(read(rig, `fnlet_cold_start_seconds_sum{${labels}}`), 5.432);
  assert.equal(read(rig, `fnlet_queue_wait_seconds_sum{${labels}}`), 0.432);
});

test('a warm call is no cold start', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end());
  await rig.exchange(hello);
  assert.equal(formatMetrics(rig.gateway.metrics()).includes('cold_start'), false);
});

test('ejections, retries, and those that nothing pays for are counted', async (t) => {
  const rig = await startRig(t, { limits: { retriesPerSecond: 0, retryShare: 0.2 } });
  const good = await rig.instance((_incoming, answer) => answer.end());
  const bad = await rig.rawInstance((socket) => socket.on('data', () => socket.destroy()));
  rig.gateway.setEndpoints(revision, [good, bad]);
  for (let call = 0; call < 30; call++) await rig.exchange(hello);
  const retries = (result: string): number =>
    read(rig, `fnlet_retries_total{${labels},result="${result}"}`);
  assert.ok(retries('made') >= 1, 'one in five pays');
  assert.ok(retries('refused') >= 1, 'and four do not');
  assert.equal(read(rig, `fnlet_ejections_total{${labels}}`), 1);
});

test('a Revision that no route names any more is not told about', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end());
  await rig.exchange(hello);
  rig.gateway.removeRoute('default', 'hello');
  rig.gateway.setEndpoints(revision, []);
  await eventually(() => !formatMetrics(rig.gateway.metrics()).includes('hello-1'));
});
