import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import {
  type CollectedSpan,
  spansContract,
  startTraceCollector,
} from '../../../packages/invocation/test/spans-contract.ts';
import { nodeRunner, StartedRunner } from './started-runner.ts';

const source = (file: string): string =>
  readFileSync(new URL(`./contract/${file}`, import.meta.url), 'utf8');

for (const file of ['web.mjs', 'event.cjs']) {
  spansContract({
    name: `the Node Runner with ${file}`,
    program: nodeRunner,
    contractFunction: { files: { [file]: source(file) } },
    broken: { files: {}, file: '', line: 0 },
    withoutHandler: { files: {} },
  });
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };

interface Traced {
  readonly body: string;
  readonly spans: readonly CollectedSpan[];
  /** The span of this name. */
  span(name: string): CollectedSpan;
}

/** Calls a function of Kyma once, to its end. */
async function traced(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Traced> {
  await using collector = await startTraceCollector();
  await using runner = await StartedRunner.start({
    ...{ files, compatibility: 'kyma', handler: 'main' },
    env: { TRACE_COLLECTOR_ENDPOINT: `${collector.url}/v1/traces`, ...env },
  });
  const { body } = await runner.call({ headers });
  runner.send({ type: 'drain' });
  assert.equal(await runner.exited(), 0, runner.log);
  const { spans } = collector;
  const span = (name: string): CollectedSpan => {
    const found = spans.find((each) => each.name === name);
    assert.ok(found, `no span ${name} among ${spans.map((each) => each.name)}\n${runner.log}`);
    return found;
  };
  return { body, spans, span };
}

test("what a function does with Kyma's tracer is a child of its call", async () => {
  const { body, spans, span } = await traced({
    'handler.js': `exports.main = async ({ tracer }) => {
      const plain = tracer.startSpan('plain', { attributes: { list: ['a', 1, true], none: {} } });
      plain.addEvent('read', { size: 1.5 }).setStatus({ code: 1 }).updateName('renamed').end();
      plain.setAttribute('late', 1);
      return tracer.startActiveSpan('outer', { kind: 2 }, async (outer) => {
        await new Promise((resolve) => setImmediate(resolve));
        const inner = tracer.startSpan('inner');
        inner.recordException(new TypeError('wrong'));
        inner.setStatus({ code: 2, message: 'wrong' }).end();
        tracer.startSpan('root', { root: true }).end();
        outer.end();
        return [outer.isRecording(), inner.spanContext().traceFlags];
      });
    };`,
  });
  assert.equal(body, '[false,1]');
  const [call, outer] = [span('GET'), span('outer')];
  assert.equal(call.kind, 2);
  assert.deepEqual([outer.parentSpanId, outer.kind, outer.traceId], [call.spanId, 3, traceId]);
  assert.equal(outer.scope, 'io.kyma-project.serverless');
  const plain = span('renamed');
  assert.deepEqual([plain.parentSpanId, plain.status], [call.spanId, { code: 1 }]);
  assert.deepEqual(Object.keys(plain.attributes), ['list']);
  assert.deepEqual(
    plain.events.map(({ name }) => name),
    ['read'],
  );
  const inner = span('inner');
  assert.equal(inner.parentSpanId, outer.spanId);
  assert.deepEqual(inner.status, { code: 2, message: 'wrong' });
  assert.deepEqual([span('root').parentSpanId, spans.length], [undefined, 5]);
  assert.notEqual(span('root').traceId, traceId);
});

test('requests of a function are spans, and carry their position', async () => {
  const seen: unknown[] = [];
  const target = createServer((request, response) => {
    seen.push(request.headers.traceparent);
    response.writeHead(request.url === '/no' ? 404 : 200).end();
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  try {
    const address = target.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const { spans } = await traced(
      {
        'handler.js': `const http = require('node:http');
          exports.main = async () => {
            await fetch(process.env.TARGET + '/by-fetch?secret');
            await new Promise((resolve) => http.get(process.env.TARGET + '/no', (answer) => answer.resume().on('end', resolve)));
            await fetch('http://127.0.0.1:2/').catch(() => {});
          };`,
      },
      { TARGET: url },
    );
    const clients = spans.filter(({ kind }) => kind === 3);
    const parent = spans.find(({ kind }) => kind === 2)?.spanId;
    assert.deepEqual(
      clients.map(({ attributes, status, parentSpanId }) => [
        attributes['url.full'],
        attributes['http.response.status_code'],
        status.code,
        parentSpanId === parent,
      ]),
      [
        [`${url}/by-fetch`, '200', 0, true],
        [`${url}/no`, '404', 2, true],
        ['http://127.0.0.1:2/', undefined, 2, true],
      ],
    );
    const carried = clients.slice(0, 2).map(({ spanId }) => `00-${traceId}-${spanId}-01`);
    assert.deepEqual(seen, carried);
  } finally {
    target.close();
    target.closeAllConnections();
  }
});

// What `@opentelemetry/api` does with a provider, in few words.
const api = {
  'node_modules/@opentelemetry/api/index.js': `
    let provider, manager;
    const first = (slot) => slot === undefined;
    exports.trace = {
      getTracer: (name) => provider ? provider.getTracer(name) : { startSpan: () => ({ end() {} }) },
      setGlobalTracerProvider: (given) => first(provider) && Boolean(provider = given),
    };
    exports.context = {
      active: () => manager.active(),
      setGlobalContextManager: (given) => first(manager) && Boolean(manager = given),
    };`,
};

test("a function's own OpenTelemetry makes spans of its calls", async () => {
  const { span } = await traced({
    ...api,
    'handler.js': `const { trace, context } = require('@opentelemetry/api');
      exports.main = () => {
        const tracer = trace.getTracer('mine');
        tracer.startActiveSpan('outer', (outer) => {
          tracer.startSpan('given', {}, context.active()).end();
          outer.end();
        });
      };`,
  });
  assert.equal(span('outer').scope, 'mine');
  assert.equal(span('outer').parentSpanId, span('GET').spanId);
  assert.equal(span('given').parentSpanId, span('outer').spanId);
});

test('an SDK that the function registers itself keeps the spans of its code', async () => {
  const { body, spans } = await traced({
    ...api,
    'handler.js': `const { trace } = require('@opentelemetry/api');
      trace.setGlobalTracerProvider({ getTracer: (name) => ({ startSpan: (span) => name + ' ' + span }) });
      exports.main = () => trace.getTracer('own').startSpan('a');`,
  });
  assert.equal(body, 'own a');
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['GET'],
  );
});

test("that Kyma's own collector would be asked for is no wish for spans", async () => {
  const address = 'http://telemetry-otlp-traces.kyma-system.svc.cluster.local:4318/v1/traces';
  const env = { TRACE_COLLECTOR_ENDPOINT: address };
  const files = {
    'handler.js': "exports.main = ({ tracer }) => tracer.startSpan('a').isRecording();",
  };
  const { body, spans } = await traced(files, env);
  assert.deepEqual([body, spans], ['', []]);
});
