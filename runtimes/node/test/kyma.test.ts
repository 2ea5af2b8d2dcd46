import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { type CallOptions, StartedRunner } from './started-runner.ts';

const source = `
  module.exports = {
    main: async (event, context, callback) => {
      const { request, response } = event.extensions;
      switch (request.path) {
        case '/context': return context;
        case '/preset': event.setResponseStatus(201); return;
        case '/set':
          event.setResponseHeader('x-a', 'b');
          event.setResponseContentType('text/csv');
          event.setResponseStatus(202);
          return 'a,b';
        case '/returns-response': return response.status(204);
        case '/pipes': return require('node:stream').Readable.from(['a', 'b']).pipe(response);
        case '/callback': callback('called', 203, { 'x-a': 'b' }); return 'ignored';
        case '/callback-status': return void callback(undefined, 404);
        case '/callback-twice': callback('first'); callback('second'); return;
        case '/callback-broken': return void callback({ n: 1n });
        case '/callback-nothing': return void callback();
        case '/tracer': {
          const { tracer } = event;
          const span = tracer.startSpan('a', { attributes: { a: 1 } });
          span.setStatus({ code: 2 }).setAttribute('a', 1).end();
          return tracer.startActiveSpan('b', (active) => [active.isRecording(), typeof span.end]);
        }
        case '/keys': delete event.extensions; return Object.keys(event);
        case '/copy': delete event.extensions; return JSON.stringify(event);
        case '/respond': return event.buildResponseCloudEvent('7', 'answered', { a: 1 });
        case '/emit': {
          const answer = await event.emitCloudEvent('t', '/s', event.data, { eventtypeversion: 'v1' });
          return { status: answer.status, data: answer.data };
        }
        case '/publish': return (await event.publishCloudEvent({ id: '1' })).data;
        case '/emit-refused':
          return event.emitCloudEvent('refused', '/s', 'x').catch((error) => ({
            message: error.message, status: error.response.status, data: error.response.data,
          }));
        case '/body-length': return String(event.data?.length);
        case '/multipart': {
          let length = 0;
          for await (const chunk of request) length += chunk.length;
          return { length, data: event.data === undefined };
        }
        case '/never': return new Promise(() => {});
        case '/throw': throw Object.assign(new Error('secret'), { status: 404 });
      }
    },
  };`;

interface Published {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

let publisher: Server;
let runner: StartedRunner;
const published: Published[] = [];
const limits = { timeoutMs: 5000, bodyBytesMax: 3_000_000, drainMs: 100 };

before(async () => {
  publisher = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body: Record<string, unknown> = JSON.parse(text);
    published.push({ headers: request.headers, body });
    response.statusCode = body.type === 'refused' ? 400 : 200;
    response.end('{"status":"taken"}');
  });
  await new Promise<void>((resolve) => {
    publisher.listen(0, '127.0.0.1', resolve);
  });
  const address = publisher.address();
  assert.ok(typeof address === 'object' && address !== null);
  runner = await StartedRunner.start({
    files: { 'handler.js': source },
    handler: 'handler.main',
    compatibility: 'kyma',
    env: {
      FUNC_NAME: 'orders',
      FUNC_RUNTIME: 'nodejs22',
      SERVICE_NAMESPACE: 'shop',
      PUBLISHER_PROXY_ADDRESS: `http://127.0.0.1:${address.port}/publish`,
    },
    limits,
  });
});
after(async () => {
  await runner[Symbol.asyncDispose]();
  publisher.close();
  publisher.closeAllConnections();
});

const json = { 'content-type': 'application/json' };
const bodyOf = async (path: string, options: CallOptions = {}): Promise<unknown> => {
  const { body, status } = await runner.call({ path, ...options });
  assert.equal(status, 200, `${body}\n${runner.log}`);
  return JSON.parse(body);
};

test("the context of Kyma's handlers", async () => {
  assert.deepEqual(await bodyOf('/context'), {
    'function-name': 'orders',
    runtime: 'nodejs22',
    namespace: 'shop',
    timeout: 5,
    'body-size-limit': 1,
  });
});

const answers: readonly (readonly [string, number, string, Readonly<Record<string, string>>])[] = [
  ['/preset', 201, '', {}],
  ['/set', 202, 'a,b', { 'x-a': 'b', 'content-type': 'text/csv; charset=utf-8' }],
  ['/returns-response', 204, '', {}],
  ['/pipes', 200, 'ab', {}],
  ['/callback', 203, 'called', { 'x-a': 'b' }],
  ['/callback-status', 404, 'Not Found', {}],
  ['/callback-twice', 200, 'first', {}],
  ['/callback-broken', 500, 'Internal server error', {}],
  ['/callback-nothing', 200, '', {}],
  ['/throw', 500, 'Internal server error', { 'access-control-allow-origin': '*' }],
];

for (const [path, status, body, headers] of answers) {
  test(`a handler of Kyma's answers: ${path}`, async () => {
    const answer = await runner.call({ path });
    assert.deepEqual([answer.status, answer.body], [status, body]);
    for (const [name, value] of Object.entries(headers)) assert.equal(answer.headers[name], value);
  });
}

test('the event has its keys, can lose some, and can be printed', async () => {
  const headers = { ...json, 'ce-type': 't', 'ce-source': 's', 'ce-id': '1' };
  const keys = await bodyOf('/keys', { headers, body: '{"a":1}' });
  assert.ok(Array.isArray(keys));
  assert.deepEqual(keys.sort(), [
    'buildResponseCloudEvent',
    'ce-datacontenttype',
    'ce-eventtypeversion',
    'ce-id',
    'ce-source',
    'ce-specversion',
    'ce-time',
    'ce-type',
    'data',
    'emitCloudEvent',
    'publishCloudEvent',
    'setResponseContentType',
    'setResponseHeader',
    'setResponseStatus',
    'tracer',
  ]);
  const copy = await bodyOf('/copy', { headers, body: '{"a":1}' });
  const expected = {
    tracer: {},
    'ce-type': 't',
    'ce-source': 's',
    'ce-id': '1',
    'ce-datacontenttype': 'application/json',
    data: { a: 1 },
  };
  assert.deepEqual(copy, expected);
});

test('the tracer does nothing while nobody registered an SDK', async () => {
  assert.deepEqual(await bodyOf('/tracer'), [false, 'function']);
});

test('a handler answers a CloudEvent with one', async () => {
  const headers = { ...json, 'ce-type': 't', 'ce-source': '/s', 'ce-specversion': '1.0' };
  const answer = await runner.call({ path: '/respond', headers, body: '1' });
  assert.equal(answer.headers['content-type'], 'application/cloudevents+json; charset=utf-8');
  assert.deepEqual(JSON.parse(answer.body), {
    id: '7',
    type: 'answered',
    source: '/s',
    specversion: '1.0',
    datacontenttype: 'application/json',
    data: { a: 1 },
  });
});

test('emitCloudEvent() sends a whole CloudEvent in structured mode', async () => {
  published.length = 0;
  const answer = await bodyOf('/emit', { headers: json, body: '{"total":3}' });
  assert.deepEqual(answer, { status: 200, data: { status: 'taken' } });
  const [{ headers, body } = { headers: {}, body: {} }] = published;
  assert.match(String(headers['content-type']), /^application\/cloudevents\+json/);
  const { id, time, ...others } = body;
  assert.match(String(id), /^[\da-f]{8}-[\da-f]{4}-4/);
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(others, {
    specversion: '1.0',
    datacontenttype: 'application/json',
    type: 't',
    source: '/s',
    eventtypeversion: 'v1',
    data: { total: 3 },
  });
  await bodyOf('/emit', { headers: { 'content-type': 'text/plain' }, body: 'hi' });
  assert.equal(published[1]?.body.datacontenttype, 'text/plain');
  await bodyOf('/emit', { body: Buffer.from('hi') });
  assert.equal(published[2]?.body.data_base64, 'aGk=');
  assert.deepEqual(await bodyOf('/publish'), { status: 'taken' });
  assert.deepEqual(published[3]?.body, { id: '1' });
});

test('emitCloudEvent() rejects with what the publisher answered', async () => {
  assert.deepEqual(await bodyOf('/emit-refused'), {
    message: 'Request failed with status code 400',
    status: 400,
    data: { status: 'taken' },
  });
});

test('a body may have 1 MiB, one of parts as much as the Function allows', async () => {
  const octets = (size: number, type: string, path: string): Promise<{ status: number }> =>
    runner.call({ path, headers: { 'content-type': type }, body: Buffer.alloc(size) });
  assert.equal((await octets(2 ** 20, 'a/b', '/body-length')).status, 200);
  assert.equal((await octets(2 ** 20 + 1, 'a/b', '/body-length')).status, 413);
  const parts = 'multipart/form-data; boundary=x';
  const answer = await bodyOf('/multipart', {
    headers: { 'content-type': parts },
    body: Buffer.alloc(2_000_000),
  });
  assert.deepEqual(answer, { length: 2_000_000, data: true });
  assert.equal((await octets(3_000_001, parts, '/multipart')).status, 413);
});

test('OPTIONS and /favicon.ico are answered without the function', async () => {
  const headers = {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-a, x-b',
  };
  const preflight = await runner.call({ path: '/throw', method: 'OPTIONS', headers });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers['access-control-allow-origin'], '*');
  assert.equal(preflight.headers['access-control-allow-methods'], 'PUT');
  assert.equal(preflight.headers['access-control-allow-headers'], 'x-a, x-b');
  const plain = await runner.call({ path: '/', method: 'OPTIONS' });
  assert.equal(plain.headers['access-control-allow-methods'], undefined);
  assert.equal((await runner.call({ path: '/favicon.ico' })).status, 204);
});

test("metrics have Kyma's names and labels besides", async () => {
  const { body } = await runner.call({ path: '/metrics' });
  assert.match(body, /^function_calls_total{method="GET",otel_scope_name="hello"} \d+$/m);
  assert.match(
    body,
    /^function_duration_miliseconds_bucket{method="GET",otel_scope_name="hello",le="7500"} \d+$/m,
  );
});

test('FUNC_TIMEOUT and REQ_MB_LIMIT of the environment hold, and the logger can be on', async () => {
  await using other = await StartedRunner.start({
    files: { 'handler.js': source },
    handler: 'main',
    compatibility: 'kyma',
    env: { FUNC_TIMEOUT: '0.2', REQ_MB_LIMIT: '2', KYMA_INTERNAL_LOGGER_ENABLED: 'true' },
    limits,
  });
  assert.equal((await other.call({ path: '/never' })).status, 408);
  const context: unknown = JSON.parse((await other.call({ path: '/context' })).body);
  assert.deepEqual(context, {
    'function-name': 'hello',
    runtime: 'nodejs24',
    namespace: 'demo',
    timeout: 0.2,
    'body-size-limit': 2,
  });
  const body = Buffer.alloc(2_000_000);
  assert.equal((await other.call({ path: '/body-length?a', body })).body, '2000000');
  await other.logged('"POST /body-length?a HTTP/1.1" 200 7 "-" "-"\n');
  assert.match(other.log, /^\S+ - - \[\d\d\/\w{3}\/\d{4}:[\d:]{8} \+0000\] "GET \/never /m);
});

test('a function without a publisher is told so', async () => {
  await using other = await StartedRunner.start({
    files: { 'handler.js': 'exports.main = (event) => event.emitCloudEvent("t", "s", 1);' },
    compatibility: 'kyma',
  });
  assert.equal((await other.call()).status, 500);
  await other.logged('found no PUBLISHER_PROXY_ADDRESS');
});
