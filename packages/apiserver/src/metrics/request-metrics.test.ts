import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics, VirtualClock } from '@fnlet/base';
import { builtinStrategies } from '../builtins/builtin-strategies.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../request/api-request.ts';
import type { DocumentLine, EventBatches, EventReader } from '../request/event-batches.ts';
import { parseRoute } from '../request/route.ts';
import { Catalog } from '../resource/catalog.ts';
import { createResource } from '../resource/resource.ts';
import { FanOut } from '../watch/fan-out.ts';
import { RequestMetrics } from './request-metrics.ts';

function createMetrics(): { metrics: RequestMetrics; clock: VirtualClock } {
  const catalog = new Catalog();
  for (const strategy of builtinStrategies) catalog.add(createResource(strategy));
  const clock = new VirtualClock();
  return { metrics: new RequestMetrics(catalog, clock), clock };
}

function request(method: string, target: string): ApiRequest {
  const { pathname: path, searchParams: query } = new URL(target, 'https://api');
  return { method, path, query, headers: {}, signal: new AbortController().signal };
}

const track = (
  metrics: RequestMetrics,
  asked: ApiRequest,
  answer: () => Promise<ApiResponse>,
): Promise<ApiResponse> => metrics.track(asked, parseRoute(asked.path), answer);

const ok = (): Promise<ApiResponse> => Promise.resolve(jsonResponse(200, {}));

test('requests are counted by what they ask for, in the words of kube-apiserver', async () => {
  const { metrics } = createMetrics();
  const pods = '/api/v1/namespaces/default/pods';
  await track(metrics, request('GET', pods), ok);
  await track(metrics, request('GET', pods), ok);
  await track(metrics, request('GET', `${pods}/a`), () => Promise.resolve(jsonResponse(404, {})));
  await track(metrics, request('POST', `${pods}/a/exec`), ok);
  await track(metrics, request('PATCH', `${pods}/a/status`), ok);
  await track(metrics, request('GET', '/version'), ok);
  const text = formatMetrics(metrics.families());
  const common = 'group="",version="v1",resource="pods"';
  for (const line of [
    `{verb="LIST",${common},subresource="",code="200"} 2`,
    `{verb="GET",${common},subresource="",code="404"} 1`,
    `{verb="CONNECT",${common},subresource="exec",code="200"} 1`,
    `{verb="PATCH",${common},subresource="status",code="200"} 1`,
    '{verb="GET",group="",version="",resource="",subresource="",code="200"} 1',
  ]) {
    assert.ok(text.includes(`apiserver_request_total${line}\n`), `${line} in:\n${text}`);
  }
});

test('a client cannot make series of its own', async () => {
  const { metrics } = createMetrics();
  for (let i = 0; i < 50; i++) {
    await track(metrics, request('GET', `/apis/g${i}/v1/things`), ok);
    await track(metrics, request('GET', `/api/v1/namespaces/n/pods/a/sub${i}`), ok);
    await track(metrics, request('GET', `/%${i}`), ok);
  }
  const [total] = metrics.families();
  assert.equal(total?.samples.length, 2);
});

test('durations fall into buckets that add up', async () => {
  const { metrics, clock } = createMetrics();
  for (const durationMs of [1, 30, 30, 100_000]) {
    await track(metrics, request('GET', '/api/v1/nodes'), async () => {
      await clock.advance(durationMs);
      return ok();
    });
  }
  const lines = formatMetrics(metrics.families()).split('\n');
  const bucket = (edge: string): string | undefined =>
    lines.find((line) => line.includes(`_bucket{`) && line.includes(`le="${edge}"`));
  const counts = ['0.005', '0.025', '0.05', '60', '+Inf'].map((edge) =>
    bucket(edge)?.split(' ').at(-1),
  );
  assert.deepEqual(counts, ['1', '1', '3', '3', '4']);
  assert.ok(lines.some((line) => line.includes('_sum{') && line.endsWith(' 100.061')));
});

test('a watch is open until its reader leaves, and has no duration', async () => {
  const { metrics } = createMetrics();
  async function* forever(): AsyncGenerator<readonly DocumentLine[]> {
    for (;;) yield [];
  }
  const headers = { 'content-type': 'application/json' };
  const body = { kind: 'events' as const, batches: forever() };
  const response = await track(metrics, request('GET', '/api/v1/pods?watch=1'), () =>
    Promise.resolve({ status: 200, headers, body }),
  );
  const open = (): number | undefined => metrics.families()[2]?.samples[0]?.value;
  assert.ok(response.body.kind === 'events');
  for await (const _ of response.body.batches) {
    assert.equal(open(), 1);
    break;
  }
  assert.equal(open(), 0);
  assert.deepEqual(metrics.families()[1]?.samples, []);
});

for (const leaver of ['the server', 'the client'] as const) {
  test(`a watch that is handed over is open until ${leaver} ends it`, async () => {
    const { metrics } = createMetrics();
    let reader: EventReader | undefined;
    const batches: EventBatches = {
      async *[Symbol.asyncIterator]() {},
      flow: (given) => {
        reader = given;
        return { resume: () => {}, close: () => given.end() };
      },
    };
    const headers = { 'content-type': 'application/json' };
    const response = await track(metrics, request('GET', '/api/v1/pods?watch=1'), () =>
      Promise.resolve({ status: 200, headers, body: { kind: 'events', batches } }),
    );
    const open = (): number | undefined => metrics.families()[2]?.samples[0]?.value;
    assert.ok(response.body.kind === 'events');
    let ends = 0;
    const flow = response.body.batches.flow?.(
      { take: () => true, end: () => void ends++ },
      new FanOut(),
    );
    assert.equal(open(), 1);
    if (leaver === 'the server') reader?.end();
    else flow?.close();
    assert.deepEqual([open(), ends], [0, 1]);
  });
}

test('formatMetrics() keeps labels in one line, whatever they hold', () => {
  const samples = [{ labels: { path: 'a"b\\c\nd' }, value: 1 }];
  const text = formatMetrics([{ name: 'm', type: 'gauge', help: 'Help.', samples }]);
  assert.equal(text, '# HELP m Help.\n# TYPE m gauge\nm{path="a\\"b\\\\c\\nd"} 1\n');
});
