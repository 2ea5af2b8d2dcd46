import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StartedRunner } from './started-runner.ts';

const source = `
  module.exports = {
    foo(event, context) {
      const { request, response } = event.extensions;
      switch (request.path) {
        case '/context': return context;
        case '/event': {
          const { extensions, ...rest } = event;
          return { ...rest, body: Buffer.isBuffer(request.body) };
        }
        case '/pipe': return require('node:stream').Readable.from(['a', 'b']).pipe(response);
        case '/send': response.status(404).send('gone'); return 'ignored';
        case '/later': return new Promise((resolve) => setImmediate(resolve, 'later'));
        case '/throw': throw new Error('secret');
        case '/never': return new Promise(() => {});
      }
    },
  };`;

let runner: StartedRunner;
before(async () => {
  runner = await StartedRunner.start({
    files: { 'hello.js': source },
    handler: 'hello.foo',
    runtime: 'nodejs14',
    compatibility: 'kubeless',
    env: {
      MOD_NAME: 'hello',
      FUNC_HANDLER: 'foo',
      FUNC_TIMEOUT: '1',
      FUNC_RUNTIME: 'nodejs14',
      FUNC_MEMORY_LIMIT: '0',
    },
  });
});
after(() => runner[Symbol.asyncDispose]());

test("the context of Kubeless's handlers", async () => {
  assert.deepEqual(JSON.parse((await runner.call({ path: '/context' })).body), {
    'function-name': 'foo',
    timeout: 1,
    runtime: 'nodejs14',
    'memory-limit': '0',
  });
});

test('an event says what its trigger says of it', async () => {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'event-id': 'i',
    'event-type': 'application/json',
    'event-time': '2026-11-21T20:00:00Z',
    'event-namespace': 'cli.kubeless.io',
  };
  const answer = await runner.call({ path: '/event', headers, body: '{"a":1}' });
  assert.deepEqual(JSON.parse(answer.body), {
    'event-id': 'i',
    'event-type': 'application/json',
    'event-time': '2026-11-21T20:00:00Z',
    'event-namespace': 'cli.kubeless.io',
    data: { a: 1 },
    body: true,
  });
  const plain = await runner.call({ path: '/event' });
  assert.deepEqual(JSON.parse(plain.body), { data: {}, body: false });
});

for (const [path, status, body] of [
  ['/pipe', 200, 'ab'],
  ['/send', 404, 'gone'],
  ['/later', 200, 'later'],
  ['/throw', 500, 'Internal Server Error'],
  ['/never', 408, 'Request Timeout'],
] as const) {
  test(`a handler of Kubeless's answers: ${path}`, async () => {
    const answer = await runner.call({ path });
    assert.deepEqual([answer.status, answer.body], [status, body]);
  });
}

test('JSON that is none, a body of more than 1 MiB, and OPTIONS', async () => {
  const headers = { 'content-type': 'application/json' };
  assert.equal((await runner.call({ headers, body: '{' })).status, 500);
  assert.equal((await runner.call({ body: Buffer.alloc(2 ** 20 + 1) })).status, 413);
  const preflight = await runner.call({ path: '/throw', method: 'OPTIONS' });
  assert.deepEqual(
    [preflight.status, preflight.headers['access-control-allow-origin']],
    [200, '*'],
  );
});

test('every call is logged, and counted under its module', async () => {
  await runner.call({ path: '/send', headers: { 'user-agent': 'a "b"', referer: '/r' } });
  await runner.logged('"GET /send HTTP/1.1" 404 4 "/r" "a \\"b\\""\n');
  const { body } = await runner.call({ path: '/metrics' });
  assert.match(body, /^function_calls_total{method="hello-GET"} \d+$/m);
  assert.ok(!body.includes('miliseconds'));
});

test('a module that is a function is the handler, whatever its name', async () => {
  await using other = await StartedRunner.start({
    files: { 'hello.js': 'module.exports = (event, context) => "whole";' },
    handler: 'hello.foo',
    compatibility: 'kubeless',
  });
  assert.equal((await other.call()).body, 'whole');
});
