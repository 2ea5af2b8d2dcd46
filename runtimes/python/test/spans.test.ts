import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import {
  type CollectedSpan,
  spansContract,
  startTraceCollector,
} from '../../../packages/invocation/test/spans-contract.ts';
import { needsPython } from './python.ts';
import { pythonRunner, StartedRunner } from './started-runner.ts';

const source = (file: string): string =>
  readFileSync(new URL(`./contract/${file}`, import.meta.url), 'utf8');

describe('the contract', needsPython, () => {
  for (const file of ['own.py', 'event.py', 'wsgi.py']) {
    spansContract({
      name: `the Python Runner with ${file}`,
      program: pythonRunner,
      contractFunction: { files: { [file]: source(file) }, runtime: 'python3.11' },
      broken: { files: {}, file: '', line: 0 },
      withoutHandler: { files: {} },
    });
  }
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };

/** Calls a function of Kyma once, to its end. */
async function traced(
  code: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly body: string; readonly spans: readonly CollectedSpan[] }> {
  await using collector = await startTraceCollector();
  await using runner = await StartedRunner.start({
    ...{ files: { 'handler.py': code }, compatibility: 'kyma', handler: 'main' },
    env: { TRACE_COLLECTOR_ENDPOINT: `${collector.url}/v1/traces`, ...env },
  });
  const { body } = await runner.call({ headers });
  runner.send({ type: 'drain' });
  assert.equal(await runner.exited(), 0, runner.log);
  return { body: body + (body.startsWith('Internal') ? runner.log : ''), spans: collector.spans };
}

test("what a function does with Kyma's tracer is a child of its call", needsPython, async () => {
  const { body, spans } = await traced(`
def main(event, context):
    with event.tracer.start_as_current_span("outer", attributes={"list": ["a", 1], "none": None}):
        inner = event.tracer.start_span("inner")
        inner.add_event("read", {"size": 1.5})
        inner.set_status(1)
        inner.update_name("renamed")
        inner.end()
        inner.set_attribute("late", 1)
    try:
        with event.tracer.start_as_current_span("fails"):
            raise TypeError("wrong")
    except TypeError:
        pass
    return [inner.is_recording()]
`);
  assert.equal(body, '[false]');
  const named = (name: string): CollectedSpan => {
    const found = spans.find((each) => each.name === name);
    assert.ok(found, name);
    return found;
  };
  assert.equal(spans.length, 4);
  const [call, outer, inner, fails] = ['GET', 'outer', 'renamed', 'fails'].map(named);
  assert.deepEqual([outer?.parentSpanId, outer?.traceId], [call?.spanId, traceId]);
  assert.deepEqual(Object.keys(outer?.attributes ?? {}), ['list']);
  assert.equal(outer?.scope, 'io.kyma-project.serverless');
  assert.deepEqual([inner?.parentSpanId, inner?.status.code], [outer?.spanId, 1]);
  assert.equal(inner?.events[0]?.name, 'read');
  assert.deepEqual(fails?.status, { code: 2, message: 'TypeError: wrong' });
  assert.equal(fails?.parentSpanId, call?.spanId);
});

test('requests of a function are spans, and carry their position', needsPython, async () => {
  const seen: unknown[] = [];
  const target = createServer((request, response) => {
    seen.push(request.headers.traceparent);
    response.writeHead(request.url === '/no' ? 404 : 200).end();
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  try {
    const address = target.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const { spans } = await traced(
      `
import os
from http.client import HTTPConnection
from urllib.request import urlopen

def main(event, context):
    target = f"127.0.0.1:{os.environ['PORT']}"
    urlopen(f"http://{target}/yes").read()
    connection = HTTPConnection(target)
    connection.request("GET", "/no")
    connection.getresponse().read()
    try:
        urlopen("http://127.0.0.1:2/")
    except OSError:
        pass
`,
      { PORT: port },
    );
    const clients = spans.filter(({ kind }) => kind === 3);
    const parent = spans.find(({ kind }) => kind === 2)?.spanId;
    assert.deepEqual(
      clients.map(({ attributes, status, parentSpanId }) => [
        attributes['server.port'],
        attributes['http.response.status_code'],
        status.code,
        parentSpanId === parent,
      ]),
      [
        [port, '200', 0, true],
        [port, '404', 2, true],
        ['2', undefined, 2, true],
      ],
    );
    const carried = clients.slice(0, 2).map(({ spanId }) => `00-${traceId}-${spanId}-01`);
    assert.deepEqual(seen, carried);
  } finally {
    target.close();
    target.closeAllConnections();
  }
});

test("that Kyma's own collector would be asked for is no wish for spans", needsPython, async () => {
  const address = 'http://telemetry-otlp-traces.kyma-system.svc.cluster.local:4318/v1/traces';
  const code = `
def main(event, context):
    with event.tracer.start_as_current_span("a"):
        return "ran"`;
  const { body, spans } = await traced(code, { TRACE_COLLECTOR_ENDPOINT: address });
  assert.deepEqual([body, spans], ['ran', []]);
});
