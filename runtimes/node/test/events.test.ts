import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, type CallOptions, StartedRunner } from './started-runner.ts';

const files = {
  'handler.js': `
    const describe = (value) => Buffer.isBuffer(value) ? 'buffer ' + value : value;
    exports.main = async (event, context) => {
      const { request, response } = event.extensions;
      switch (request.path) {
        case '/status':
          event.setResponseStatus(201);
          event.setResponseHeader('x-a', 'b');
          event.setResponseContentType('text/csv');
          return 'a,b';
        case '/preset':
          response.status(204);
          return;
        case '/send':
          response.status(202).set('x-a', 'b').type('json').send({ own: true });
          return 'ignored';
        case '/sendStatus':
          return void response.sendStatus(404);
        case '/redirect':
          return void response.redirect('/there');
        case '/write':
          response.write('a');
          setImmediate(() => response.end('b'));
          return;
        case '/pipe':
          require('node:stream').Readable.from(['a', 'b']).pipe(response);
          return;
        case '/response':
          event.setResponseHeader('x-a', 'b');
          return new Response('hi', { status: 203 });
        case '/copy':
          delete event.extensions;
          return { ...event };
        case '/request':
          return {
            originalUrl: request.originalUrl, query: request.query, get: request.get('X-A'),
            hostname: request.hostname, protocol: request.protocol, method: request.method,
            body: request.body, ip: request.ip,
          };
        case '/context':
          return { ...context, aborted: context.signal.aborted, requestId: context.requestId };
        default:
          return { type: typeof event.data, data: describe(event.data) };
      }
    };`,
};

let runner: StartedRunner;
before(async () => {
  runner = await StartedRunner.start({ files, limits: { timeoutMs: 3000, bodyBytesMax: 2 ** 20 } });
});
after(() => runner[Symbol.asyncDispose]());

const post = (type: string | undefined, body: string | Uint8Array): Promise<Answer> =>
  runner.call({
    method: 'POST',
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  });

const bodies: readonly (readonly [string | undefined, string, unknown])[] = [
  ['application/json', '{"a":1}', { type: 'object', data: { a: 1 } }],
  ['application/json; charset=utf-8', '[1]', { type: 'object', data: [1] }],
  ['Application/JSON', '"text"', { type: 'string', data: 'text' }],
  ['application/json', '0', { type: 'number', data: 0 }],
  ['text/plain', 'hi ü', { type: 'string', data: 'hi ü' }],
  ['text/csv; charset=utf-8', 'a,b', { type: 'string', data: 'a,b' }],
  [
    'application/x-www-form-urlencoded',
    'a=1&b=2&b=3&__proto__=x',
    { type: 'object', data: JSON.parse('{"a":"1","b":["2","3"],"__proto__":"x"}') },
  ],
  ['application/vnd.api+json', '{}', { type: 'object', data: 'buffer {}' }],
  ['image/png', 'x', { type: 'object', data: 'buffer x' }],
  [undefined, 'x', { type: 'object', data: 'buffer x' }],
  ['application/json', '', { type: 'undefined' }],
];

for (const [type, body, expected] of bodies) {
  test(`event.data of ${JSON.stringify(body)} as ${type}`, async () => {
    const answer = await post(type, body);
    assert.deepEqual([answer.status, JSON.parse(answer.body)], [200, expected]);
  });
}

test('JSON that is none is answered 400 before the handler', async () => {
  const answer = await post('application/json', '{"a":');
  assert.equal(answer.status, 400);
  assert.match(answer.body, /^Cannot read the request body as JSON: /);
});

test('text in another charset is decoded', async () => {
  const answer = await post('text/plain; charset=iso-8859-1', Buffer.from('ü', 'latin1'));
  assert.equal(JSON.parse(answer.body).data, 'ü');
});

const copyOf = async (options: CallOptions): Promise<Record<string, unknown>> =>
  JSON.parse((await runner.call({ method: 'POST', path: '/copy', ...options })).body);

test('a CloudEvent in structured mode is taken apart', async () => {
  const envelope = {
    specversion: '1.0',
    type: 'order.created',
    source: '/shop',
    id: '1',
    time: '2026-01-01T00:00:00Z',
    datacontenttype: 'application/json',
    data: { total: 3 },
  };
  const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
  assert.deepEqual(await copyOf({ headers, body: JSON.stringify(envelope) }), {
    'ce-specversion': '1.0',
    'ce-type': 'order.created',
    'ce-source': '/shop',
    'ce-id': '1',
    'ce-time': '2026-01-01T00:00:00Z',
    'ce-datacontenttype': 'application/json',
    data: { total: 3 },
  });
  const binary = {
    ...envelope,
    data: undefined,
    data_base64: Buffer.from('hi').toString('base64'),
  };
  const { data } = await copyOf({ headers, body: JSON.stringify(binary) });
  assert.deepEqual(data, { type: 'Buffer', data: [104, 105] });
});

test('a CloudEvent in binary mode is recognised by type and source, and only with a body', async () => {
  const headers = {
    'content-type': 'application/json',
    'ce-type': 'order.created',
    'ce-source': '/shop',
    'ce-specversion': '1.0',
    'ce-id': '1',
    'ce-eventtypeversion': 'v1',
  };
  assert.deepEqual(await copyOf({ headers, body: '{"total":3}' }), {
    'ce-type': 'order.created',
    'ce-source': '/shop',
    'ce-specversion': '1.0',
    'ce-id': '1',
    'ce-eventtypeversion': 'v1',
    'ce-datacontenttype': 'application/json',
    data: { total: 3 },
  });
  const { 'ce-source': _source, ...withoutSource } = headers;
  assert.deepEqual(await copyOf({ headers: withoutSource, body: '1' }), { data: 1 });
  assert.deepEqual(await copyOf({ headers }), {});
});

const own: readonly (readonly [string, number, string, Readonly<Record<string, string>>])[] = [
  ['/status', 201, 'a,b', { 'x-a': 'b', 'content-type': 'text/csv' }],
  ['/preset', 204, '', {}],
  ['/send', 202, '{"own":true}', { 'x-a': 'b', 'content-type': 'application/json; charset=utf-8' }],
  ['/sendStatus', 404, 'Not Found', {}],
  ['/redirect', 302, '', { location: '/there' }],
  ['/write', 200, 'ab', {}],
  ['/pipe', 200, 'ab', {}],
  ['/response', 203, 'hi', { 'x-a': 'b' }],
];

for (const [path, status, body, headers] of own) {
  test(`a handler shapes its answer itself: ${path}`, async () => {
    const answer = await runner.call({ path });
    assert.deepEqual([answer.status, answer.body], [status, body]);
    for (const [name, value] of Object.entries(headers)) assert.equal(answer.headers[name], value);
  });
}

test('extensions.request has the members of Express', async () => {
  const answer = await runner.call({
    method: 'PATCH',
    path: '/request?a=1&b=2&b=3',
    headers: {
      host: 'hello.example:8080',
      'x-a': 'one',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '192.0.2.1, 10.0.0.1',
      'content-type': 'application/json',
    },
    body: '{"n":1}',
  });
  assert.deepEqual(JSON.parse(answer.body), {
    originalUrl: '/request?a=1&b=2&b=3',
    query: { a: '1', b: ['2', '3'] },
    get: 'one',
    hostname: 'hello.example',
    protocol: 'https',
    method: 'PATCH',
    body: { n: 1 },
    ip: '192.0.2.1',
  });
});

test("the context has Kyma's keys, and the signal", async () => {
  const answer = await runner.call({ path: '/context', headers: { 'x-request-id': 'r' } });
  assert.deepEqual(JSON.parse(answer.body), {
    'function-name': 'hello',
    runtime: 'nodejs24',
    namespace: 'demo',
    timeout: 3,
    'body-size-limit': 1,
    aborted: false,
    requestId: 'r',
  });
});
