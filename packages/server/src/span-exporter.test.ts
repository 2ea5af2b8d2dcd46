import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { type JsonObject, silentLogger, VirtualClock } from '@fnlet/base';
import { type FinishedSpan, spanKinds, spanStatus } from '@fnlet/invocation';
import { startTraceCollector } from '../../invocation/test/spans-contract.ts';
import { spanComplaintMs, spanDelayMs, spanRequestMs, spansMax } from './limits.ts';
import { SpanExporter } from './span-exporter.ts';

function spanOf(name: string): FinishedSpan {
  const ids = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), name };
  const times = { startMs: 1, endMs: 2, attributes: {}, events: [], links: [] };
  const said = { kind: spanKinds.server, status: { code: spanStatus.unset } };
  return { scope: 'test', ...ids, ...times, ...said };
}

interface Opened {
  readonly exporter: SpanExporter;
  readonly clock: VirtualClock;
  readonly complaints: (JsonObject | undefined)[];
}

function open(url: string, headers: Readonly<Record<string, string>> = {}): Opened {
  const clock = new VirtualClock();
  const complaints: (JsonObject | undefined)[] = [];
  const logger = { ...silentLogger, warn: (_: string, fields?: JsonObject) => note(fields) };
  const note = (fields?: JsonObject): void => void complaints.push(fields);
  const target = { url: `${url}/v1/traces`, headers, service: undefined };
  const resource = { 'service.name': 'gateway' };
  return { exporter: new SpanExporter({ target, resource, clock, logger }), clock, complaints };
}

/** A collector that answers each request with this status, or never. */
async function startBroken(t: TestContext, status: number | undefined): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (status !== undefined) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test('spans are sent together after a while, with headers, and the rest at the end', async () => {
  await using collector = await startTraceCollector();
  const { exporter, clock } = open(collector.url, { 'x-key': 'k' });
  for (const name of ['a', 'b']) exporter.add(spanOf(name));
  await clock.advance(spanDelayMs - 1);
  assert.equal(collector.requests.length, 0);
  await clock.advance(1);
  await eventually(() => collector.spans.length === 2);
  exporter.add(spanOf('c'));
  await exporter[Symbol.asyncDispose]();
  assert.deepEqual(
    collector.spans.map(({ name, resource }) => [name, resource['service.name']]),
    ['a', 'b', 'c'].map((name) => [name, 'gateway']),
  );
  assert.equal(collector.requests.length, 2);
  assert.equal(collector.requests[0]?.path, '/v1/traces');
  assert.equal(collector.requests[0]?.headers['x-key'], 'k');
});

test('without spans nothing is sent, at the end neither', async () => {
  await using collector = await startTraceCollector();
  await open(collector.url).exporter[Symbol.asyncDispose]();
  assert.equal(collector.requests.length, 0);
});

test('what is not taken is dropped, and the log says so once a minute', async (t) => {
  const { exporter, clock, complaints } = open(await startBroken(t, 500));
  for (const laterMs of [0, 1, spanComplaintMs]) {
    await clock.advance(laterMs);
    exporter.add(spanOf('a'));
    await exporter[Symbol.asyncDispose]();
  }
  assert.deepEqual(
    complaints.map((fields) => [fields?.spans, fields?.why]),
    [
      [1, 'it answered 500'],
      [2, 'it answered 500'],
    ],
  );
});

test('a collector that never answers holds up the end no longer than it may', async (t) => {
  const { exporter, clock, complaints } = open(await startBroken(t, undefined));
  exporter.add(spanOf('a'));
  const ended = exporter[Symbol.asyncDispose]();
  await clock.advance(spanRequestMs);
  await ended;
  assert.deepEqual(complaints[0]?.why, 'it did not answer');
});

test('what does not fit into the queue is dropped', async () => {
  await using collector = await startTraceCollector();
  const { exporter, complaints } = open(collector.url);
  for (let count = 0; count <= spansMax; count++) exporter.add(spanOf('a'));
  assert.deepEqual(complaints[0]?.why, 'the queue is full');
  await exporter[Symbol.asyncDispose]();
  assert.equal(collector.spans.length, spansMax);
});
