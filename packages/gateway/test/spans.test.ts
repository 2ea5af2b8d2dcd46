/** What the Gateway tells a collector about requests, and what it tells Instances about traces. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { seededRandom, VirtualClock } from '@fnlet/base';
import type { FinishedSpan } from '@fnlet/invocation';
import { trustNobody } from '../src/policy/client-address.ts';
import { CallSpans, parseTraceSampler } from '../src/tracing.ts';
import { eventually, type Rig, type RigOptions, revision, startRig } from './rig.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const caller = 'b7ad6b7169203331';
const undecided = `0af76519${traceId.slice(24)}`;

interface Traced {
  readonly rig: Rig;
  readonly spans: FinishedSpan[];
  /** What Instances were told, in order. */
  readonly told: string[];
}

async function startTraced(
  t: TestContext,
  options: RigOptions & { readonly sampler?: string; readonly listener?: RequestListener } = {},
): Promise<Traced> {
  const spans: FinishedSpan[] = [];
  const told: string[] = [];
  const sampler = parseTraceSampler({ OTEL_TRACES_SAMPLER: options.sampler });
  assert.ok(sampler !== undefined);
  const onSpan = (span: FinishedSpan): void => void spans.push(span);
  const random = seededRandom(1);
  const tracing = new CallSpans({ random, sampler, trustedProxies: trustNobody, onSpan });
  const rig = await startRig(t, { ...options, gateway: { tracing } });
  const { listener = (_, answer) => answer.end() } = options;
  const endpoint = await rig.instance((incoming, answer) => {
    told.push(String(incoming.headers.traceparent));
    listener(incoming, answer);
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  return { rig, spans, told };
}

function ask(rig: Rig, path: string, ...fields: string[]): Promise<string> {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x:81', 'Connection: close', ...fields];
  return rig.exchange(`${lines.join('\r\n')}\r\n\r\n`);
}

const from = (spanId: string, flags: string): string =>
  `traceparent: 00-${traceId}-${spanId}-${flags}`;

test('a request is a span below that of its caller, and its Instance is told its place', async (t) => {
  const { rig, spans, told } = await startTraced(t);
  const id = 'X-Request-Id: my-call';
  await ask(rig, '/default/hello/a?secret=1', from(caller, '01'), id, 'User-Agent: curl');
  const [span, ...more] = spans;
  assert.ok(span !== undefined && more.length === 0);
  assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [traceId, caller, 2]);
  assert.deepEqual(told, [`00-${traceId}-${span.spanId}-01`]);
  assert.equal(span.name, 'GET default/hello');
  assert.deepEqual(span.attributes, {
    'http.request.method': 'GET',
    'url.path': '/default/hello/a',
    'url.scheme': 'http',
    'server.address': 'x',
    'server.port': 81,
    'client.address': '127.0.0.1',
    'user_agent.original': 'curl',
    'http.response.status_code': 200,
    'faas.invocation_id': 'my-call',
    'faas.trigger': 'http',
    'faas.name': 'default/hello',
    'faas.version': 'hello-1',
    'faas.coldstart': false,
    'k8s.namespace.name': 'default',
  });
  assert.equal(span.status.code, 0);
  assert.ok(span.endMs >= span.startMs && span.startMs > 1_600_000_000_000);
});

test('a trace that begins here is recorded, and what nobody has decided, too', async (t) => {
  const { rig, spans, told } = await startTraced(t);
  await ask(rig, '/default/hello');
  await ask(rig, '/default/hello', from(undecided, '00'));
  await ask(rig, '/default/hello', from(caller, '00'));
  assert.deepEqual(
    spans.map(({ parentSpanId }) => parentSpanId),
    [undefined, undefined],
  );
  assert.equal(spans[1]?.traceId, traceId);
  assert.match(told[0] ?? '', /-01$/);
  assert.match(told[1] ?? '', new RegExp(`^00-${traceId}-[^-]{16}-01$`));
  assert.match(told[2] ?? '', new RegExp(`^00-${traceId}-[^-]{16}-00$`));
  assert.notEqual(told[2], `00-${traceId}-${undecided}-00`);
});

test('a sampler that records nothing leaves nothing for Runners to decide', async (t) => {
  const { rig, spans, told } = await startTraced(t, { sampler: 'always_off' });
  await ask(rig, '/default/hello');
  await ask(rig, '/default/hello', from(caller, '01'));
  assert.equal(spans.length, 0);
  for (const parent of told) {
    const [, trace = '', span, flags] = parent.split('-');
    assert.equal(flags, '00');
    assert.notEqual(span, trace.slice(0, 8) + trace.slice(24));
  }
});

test('what nobody answers, and what fails, are spans that say so', async (t) => {
  const { rig, spans } = await startTraced(t, {
    listener: (incoming, answer) => {
      if (incoming.url !== '/cut') answer.writeHead(500).end();
      else answer.write('part', () => incoming.socket.destroy());
    },
  });
  await ask(rig, '/default/nobody');
  await ask(rig, '/default/hello/bad');
  await ask(rig, '/default/hello/cut');
  const seen = spans.map(({ name, status, attributes }) => [
    ...[name, status.code, attributes['http.response.status_code'], attributes['error.type']],
  ]);
  assert.deepEqual(seen, [
    ['GET', 0, 404, undefined],
    ['GET default/hello', 2, 500, '500'],
    ['GET default/hello', 2, 200, 'incomplete'],
  ]);
});

test('a cold start has a span for each phase that the Gateway waited for', async (t) => {
  const clock = new VirtualClock();
  const { rig, spans } = await startTraced(t, { clock });
  rig.gateway.setEndpoints(revision, []);
  const endpoint = await rig.instance((_, answer) => answer.end());
  const answered = ask(rig, '/default/hello');
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  const startMs = clock.now();
  await clock.advance(2);
  rig.gateway.setEndpoints(revision, []);
  await clock.advance(30);
  rig.gateway.setEndpoints(revision, [{ ...endpoint, starting: true }]);
  await clock.advance(400);
  rig.gateway.setEndpoints(revision, [endpoint]);
  await answered;
  const [whole, ...phases] = spans;
  assert.equal(whole?.attributes['faas.coldstart'], true);
  assert.deepEqual(
    phases.map((span) => [span.name, span.startMs - startMs, span.endMs - startMs]),
    [
      ['queue', 0, 2],
      ['acquire', 2, 32],
      ['load', 32, 432],
    ],
  );
  assert.ok(phases.every(({ parentSpanId }) => parentSpanId === whole?.spanId));
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 4);
});

test('a call that is tried again says when', async (t) => {
  const { rig, spans } = await startTraced(t);
  const bad = await rig.rawInstance((socket) => socket.on('data', () => socket.destroy()));
  const good = await rig.instance((_, answer) => answer.end());
  rig.gateway.setEndpoints(revision, [bad, good]);
  while (spans.every(({ events }) => events.length === 0)) await ask(rig, '/default/hello');
  const retried = spans.find(({ events }) => events.length > 0);
  assert.equal(retried?.events[0]?.name, 'retry');
  assert.equal(retried?.attributes['http.request.resend_count'], 1);
  assert.equal(retried?.attributes['http.response.status_code'], 200);
  const { atMs = 0 } = retried?.events[0] ?? {};
  assert.ok(retried !== undefined && atMs >= retried.startMs && atMs <= retried.endMs);
});

test('what others say about a trace reaches the Instance, in one field', async (t) => {
  const states: unknown[] = [];
  const listener: RequestListener = (incoming, answer) => {
    states.push(incoming.headers.tracestate);
    answer.end();
  };
  const { rig } = await startTraced(t, { listener });
  const given = ['tracestate: a=1', 'tracestate: b=2'];
  await ask(rig, '/default/hello', from(caller, '01'), ...given);
  await ask(rig, '/default/hello', 'traceparent: broken', ...given);
  assert.deepEqual(states, ['a=1, b=2', undefined]);
});

test('calls from within have the place that they came with', async (t) => {
  const { rig, spans, told } = await startTraced(t);
  const given = `00-${traceId}-${caller}-01`;
  const call = {
    ...{ namespace: 'default', function: 'hello', method: 'GET', target: '/' },
    ...{ headers: [['traceparent', given] as const], body: Buffer.alloc(0) },
    ...{ remoteAddress: '127.0.0.1', answerBytesMax: 10, timeoutMs: 10_000 },
  };
  await rig.gateway.invoke(call, new AbortController().signal);
  assert.deepEqual([told, spans.length], [[given], 0]);
});
