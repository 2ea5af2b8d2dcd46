/** One trace through the Gateway, a Runner and the code of a user. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../packages/invocation/test/trace-collector.ts';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const caller = 'b7ad6b7169203331';

// What `@opentelemetry/api` does, which is not installed here.
const inNode = `export default () => {
  const { trace } = globalThis[Symbol.for('opentelemetry.js.api.1')];
  return trace.getTracer('mine').startActiveSpan('own work', (span) => {
    span.end();
    return 'done';
  });
};`;

const inPython = `from urllib.request import urlopen
def handler(request):
    return urlopen(request.headers["x-url"]).read()
`;

let collector: TraceCollector;
let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  collector = await startTraceCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  fnlet = await startFnlet({ env: { ...env, OTEL_SERVICE_NAME: 'edge' } });
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

/** Calls it asleep, with a position in a trace; returns the spans of that trace. */
async function traceOf(
  name: string,
  spec: object,
  wanted: number,
): Promise<readonly CollectedSpan[]> {
  const env = [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: collector.url }];
  await api.applyFunction(name, { ...spec, env, scale: { idleAfter: '1s' } });
  await api.waitReady(name);
  // Its Pod is shown a moment after it is ready.
  await until(async () => (await api.podsOf(name)).length > 0, { what: 'its Pod' });
  await until(async () => (await api.podsOf(name)).length === 0, { what: 'it to sleep' });
  const { gateway } = fnlet.endpoints;
  const trace = `${name.length}${traceId.slice(1)}`;
  const headers = { traceparent: `00-${trace}-${caller}-01`, 'x-url': `${gateway}/-/healthz` };
  const answer = await fetch(`${gateway}/default/${name}`, { headers });
  assert.equal(answer.status, 200, await answer.text());
  const found = (): CollectedSpan[] => collector.spans.filter((span) => span.traceId === trace);
  await until(() => found().length >= wanted, { what: `the ${wanted} spans of ${name}` });
  return found();
}

function find(spans: readonly CollectedSpan[], name: string): CollectedSpan | undefined {
  return spans.find((span) => `${span.scope} ${span.name}` === name);
}

function parentOf(
  spans: readonly CollectedSpan[],
  child: CollectedSpan | undefined,
): CollectedSpan | undefined {
  return spans.find(({ spanId }) => spanId === child?.parentSpanId);
}

test('Gateway, Node Runner and a span of the code are one trace', async () => {
  const spans = await traceOf('node', { source: { inline: inNode } }, 5);
  const edge = find(spans, 'fnlet-gateway GET default/node');
  assert.equal(edge?.parentSpanId, caller);
  assert.equal(edge?.resource['service.name'], 'edge');
  assert.equal(edge?.attributes['faas.coldstart'], true);
  for (const phase of ['acquire', 'load']) {
    assert.equal(find(spans, `fnlet-gateway ${phase}`)?.parentSpanId, edge?.spanId, phase);
  }
  const own = find(spans, 'mine own work');
  const run = parentOf(spans, own);
  assert.equal(run?.resource['service.name'], 'node');
  assert.equal(run?.parentSpanId, edge?.spanId);
});

test(
  'Gateway, Python Runner, a request of the code and the Gateway again are one trace',
  needsPython,
  async () => {
    const spec = { runtime: pythonName, source: { inline: inPython } };
    const spans = await traceOf('python', spec, 6);
    const edge = find(spans, 'fnlet-gateway GET default/python');
    assert.equal(edge?.parentSpanId, caller);
    const made = spans.find(({ kind }) => kind === 3);
    const run = parentOf(spans, made);
    assert.equal(run?.resource['service.name'], 'python');
    assert.equal(run?.parentSpanId, edge?.spanId);
    assert.equal(find(spans, 'fnlet-gateway GET')?.parentSpanId, made?.spanId);
  },
);

test('a call whose caller decided against it leaves no span anywhere', async () => {
  const traceparent = `00-${'9'.repeat(32)}-${caller}-00`;
  const url = `${fnlet.endpoints.gateway}/default/node`;
  assert.equal(await (await fetch(url, { headers: { traceparent } })).text(), 'done');
  const sampled = `00-${'8'.repeat(32)}-${caller}-01`;
  await (await fetch(url, { headers: { traceparent: sampled } })).text();
  const of = (digit: string): number =>
    collector.spans.filter((span) => span.traceId === digit.repeat(32)).length;
  await until(() => of('8') >= 3, { what: 'the spans of the call after it' });
  assert.equal(of('9'), 0);
});
