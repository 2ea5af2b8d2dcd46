import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { type Answer, readAnswer, StartedRunner } from './started-runner.ts';

test('a call that takes too long is answered 408 and cancelled; its siblings go on', async () => {
  await using runner = await StartedRunner.start({
    limits: { timeoutMs: 300 },
    files: {
      'handler.mjs': `
        let over = false;
        async function* untilOver() {
          while (!over) yield await new Promise((resolve) => setImmediate(resolve, 'tick'));
          yield 'end';
        }
        export default async (request, { signal }) => {
          if (request.url.endsWith('/fast')) return 'fast';
          if (request.url.endsWith('/over')) over = true;
          if (!request.url.endsWith('/slow')) return untilOver();
          await new Promise((resolve) => signal.addEventListener('abort', () => {
            console.log('told to stop');
            resolve();
          }));
          console.log('aborted with', signal.reason.name);
          return 'too late';
        };`,
    },
  });
  const lively = runner.call({ path: '/lively' });
  const slow = runner.call({ path: '/slow', headers: { 'x-request-id': 'slow-call' } });
  assert.equal((await runner.call({ path: '/fast' })).body, 'fast');
  const answer = await slow;
  assert.deepEqual(shape(answer), [408, 'Request Timeout']);
  assert.equal(answer.headers['x-request-id'], 'slow-call');
  await runner.logged('[slow-cal] aborted with TimeoutError\n');
  assert.match(runner.log, /\[slow-cal\] told to stop\n/);
  assert.match(runner.log, /\[slow-cal\] Call cancelled: found no answer after 300 ms\n/);
  assert.equal((await runner.call({ path: '/fast' })).status, 200);
  assert.equal((await runner.call({ path: '/over' })).status, 200);
  assert.match((await lively).body, /data: end\n\n$/);
});

test('a signal that is first looked at after the timeout is aborted', async () => {
  await using runner = await StartedRunner.start({
    limits: { timeoutMs: 50 },
    files: {
      'handler.js': `
        const { promise, resolve } = Promise.withResolvers();
        exports.main = async (event, context) => {
          if (event.extensions.request.url === '/over') return resolve();
          await promise;
          console.log('aborted:', context.signal.aborted);
        };`,
    },
  });
  assert.equal((await runner.call()).status, 408);
  await runner.call({ path: '/over' });
  await runner.logged('aborted: true');
});

test('a stream that says something in time goes on for longer than the timeout', async () => {
  await using runner = await StartedRunner.start({
    limits: { timeoutMs: 100 },
    files: {
      'handler.mjs': `
        let over = false;
        async function* lively() {
          while (!over) yield await new Promise((resolve) => setImmediate(resolve, 'tick'));
          yield 'end';
        }
        export default (request) => {
          if (request.url.endsWith('/lively')) return lively();
          if (request.url.endsWith('/slow')) return new Promise(() => {});
          over = true;
        };`,
    },
  });
  const lively = runner.call({ path: '/lively' });
  // Each of them takes the timeout, so that the stream lasts three times as long.
  for (let i = 0; i < 3; i++) assert.equal((await runner.call({ path: '/slow' })).status, 408);
  await runner.call({ path: '/over' });
  assert.match((await lively).body, /data: end\n\n$/);
  assert.equal(runner.log.match(/Call cancelled/g)?.length, 3);
});

test('a stream that falls silent for too long is cut off', async () => {
  await using runner = await StartedRunner.start({
    limits: { timeoutMs: 100 },
    files: {
      'handler.mjs': `export default () => new ReadableStream({
        start(controller) { controller.enqueue(Buffer.from('a')); },
        cancel() { console.log('cancelled'); },
      });`,
    },
  });
  await assert.rejects(runner.call(), { code: 'ECONNRESET' });
  await runner.logged('cancelled');
  assert.match(runner.log, /Call cancelled: found nothing more of its answer after 100 ms\n/);
});

test('a client that goes away aborts the signal, in a handler and in a stream', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `export default async (request, { signal }) => {
        signal.addEventListener('abort', () => console.log('aborted', signal.reason.name));
        if (request.url.endsWith('/wait')) return new Promise(() => {});
        return new ReadableStream({
          start(controller) { controller.enqueue(Buffer.from('a')); },
          cancel() { console.log('cancelled'); },
        });
      };`,
    },
  });
  const waiting = runner.request({ path: '/wait' });
  waiting.on('error', () => {});
  waiting.end();
  await once(waiting, 'finish');
  await runner.call({ path: '/healthz' });
  waiting.destroy();
  await runner.logged('aborted AbortError');
  const streaming = runner.request({ path: '/stream' });
  streaming.on('error', () => {});
  streaming.end();
  const [response] = await once(streaming, 'response');
  await once(response, 'data');
  response.on('error', () => {});
  streaming.destroy();
  await runner.logged('cancelled');
});

test('a stream that breaks right behind its first chunk is half an answer, not none', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `export default () => {
        const chunks = [() => 'half', () => { throw new Error('broken'); }];
        return { async *[Symbol.asyncIterator]() { for (const chunk of chunks) yield chunk(); },
          pipe() {} };
      };`,
    },
  });
  const request = runner.request({});
  request.on('error', () => {});
  request.end();
  const [response] = await once(request, 'response');
  let body = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  await assert.rejects(once(response, 'end'), { code: 'ECONNRESET' });
  assert.deepEqual([response.statusCode, body], [200, 'half']);
});

test('a client that goes away while it sends is no error of the handler', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `export default async (request) => {
        console.log('reading');
        try {
          await (request.url.endsWith('/all') ? request.text() : Array.fromAsync(request.body));
        } catch (error) {
          console.log('got', error.name);
          throw error;
        }
      };`,
    },
  });
  for (const path of ['/all', '/stream']) {
    const request = runner.request({ method: 'POST', path, headers: { 'x-request-id': path } });
    request.on('error', () => {});
    request.write('half');
    await runner.logged(`[${path}] reading`);
    request.destroy();
    await runner.logged(`[${path}] got AbortError`);
  }
  runner.send({ type: 'drain' });
  assert.equal(await runner.exited(), 0);
  assert.equal(runner.log.split('\n').length, 5);
});

const echo = {
  'handler.mjs': `
    export default async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/ignore') return 'ignored';
      if (pathname === '/class') return (await request.bytes()).constructor.name;
      if (pathname === '/stream') return new Response(request.body);
      if (pathname === '/count') {
        let size = 0;
        for await (const chunk of request.body) size += chunk.length;
        return size;
      }
      return new Response(await request.bytes());
    };
    export const event = ({ data }) => data;`,
};

for (const handler of ['default', 'event']) {
  test(`a body above the limit is answered 413 (handler ${handler})`, async () => {
    await using runner = await StartedRunner.start({
      limits: { bodyBytesMax: 1000 },
      files: echo,
      handler,
    });
    const headers = { 'content-type': 'text/plain' };
    const fits = await runner.call({ headers, body: 'x'.repeat(1000) });
    assert.deepEqual(shape(fits), [200, 'x'.repeat(1000)]);
    const declared = await runner.call({ headers, body: 'x'.repeat(1001) });
    assert.deepEqual(shape(declared), [413, 'Payload Too Large']);
    const large = await runner.call({ headers, body: Buffer.alloc(5_000_000) });
    assert.equal(large.status, 413);
    const streamed = runner.request({ method: 'POST', headers });
    // Once it has the answer, a client need not be able to go on sending.
    streamed.on('error', () => {});
    const answer = readAnswer(streamed);
    for (let i = 0; i < 3; i++) streamed.write('x'.repeat(500));
    assert.deepEqual(shape(await answer), [413, 'Payload Too Large']);
    streamed.destroy();
    assert.equal((await runner.call({ headers, body: 'x' })).status, 200);
  });
}

test('a client that asks first is told before it sends a body that is too large', async () => {
  await using runner = await StartedRunner.start({ limits: { bodyBytesMax: 10 }, files: echo });
  const ask = (length: string): ReturnType<typeof runner.request> =>
    runner.request({
      method: 'POST',
      headers: { 'content-length': length, expect: '100-continue' },
    });
  const refused = ask('11');
  refused.flushHeaders();
  refused.on('continue', () => assert.fail('told to go on'));
  assert.equal((await readAnswer(refused)).status, 413);
  const taken = ask('10');
  taken.flushHeaders();
  await once(taken, 'continue');
  taken.end('0123456789');
  assert.deepEqual(shape(await readAnswer(taken)), [200, '0123456789']);
});

test('bodies stream both ways at the same time, and unread ones harm nobody', async () => {
  await using runner = await StartedRunner.start({ files: echo });
  const request = runner.request({ method: 'POST', path: '/stream' });
  request.write('first');
  const [response] = await once(request, 'response');
  const [first] = await once(response, 'data');
  assert.equal(String(first), 'first');
  request.end('second');
  const [second] = await once(response, 'data');
  assert.equal(String(second), 'second');
  assert.equal((await runner.call({ path: '/count', body: Buffer.alloc(900_000) })).body, '900000');
  assert.equal((await runner.call({ path: '/ignore', body: 'never read' })).body, 'ignored');
  assert.equal((await runner.call({ body: '' })).body, '');
  assert.equal((await runner.call({ path: '/class', body: 'x' })).body, 'Uint8Array');
});

test('headers above 32 KiB are answered 431', async () => {
  await using runner = await StartedRunner.start({ files: echo });
  const fits = await runner.call({ path: '/ignore', headers: { a: 'x'.repeat(32_000) } });
  assert.equal(fits.status, 200);
  const large = await runner.call({ path: '/ignore', headers: { a: 'x'.repeat(33_000) } });
  assert.equal(large.status, 431);
});

test('a web-style request and context hold what came in', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `export default async (request, context) => {
        const { requestId, functionName, namespace, revision, runtime, traceparent } = context;
        context.log.info('seen', { path: new URL(request.url).pathname });
        const clone = request.clone();
        const copy = new Request(request, { headers: { b: '2' } });
        return {
          isRequest: request instanceof Request,
          isHeaders: request.headers instanceof Headers,
          url: request.url, method: request.method, header: request.headers.get('X-A'),
          json: await clone.json(), text: await copy.text(), used: request.bodyUsed,
          b: copy.headers.get('b'), headers: Object.fromEntries(new Headers(request.headers)),
          requestId, functionName, namespace, revision, runtime, traceparent,
          inTime: context.deadline > new Date(), aborted: context.signal.aborted,
        };
      };`,
    },
  });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const answer = await runner.call({
    method: 'PUT',
    path: '/a/b?c=%20d&c=2',
    headers: {
      host: 'hello.demo.example:8080',
      'x-forwarded-proto': 'https',
      'x-a': 'one',
      'x-request-id': 'some-call-of-mine',
      traceparent,
    },
    body: '{"n":1}',
  });
  const { headers, ...seen } = JSON.parse(answer.body);
  assert.equal(headers['x-a'], 'one');
  assert.deepEqual(seen, {
    isRequest: true,
    isHeaders: true,
    url: 'https://hello.demo.example:8080/a/b?c=%20d&c=2',
    method: 'PUT',
    header: 'one',
    json: { n: 1 },
    text: '{"n":1}',
    used: true,
    b: '2',
    requestId: 'some-call-of-mine',
    functionName: 'hello',
    namespace: 'demo',
    revision: 'hello-1a2b3c',
    runtime: 'nodejs24',
    traceparent,
    inTime: true,
    aborted: false,
  });
  assert.match(runner.log, /^\[some-cal\] INFO seen \{"path":"\/a\/b"\}$/m);
});

test('odd request targets and hosts still give a URL', async () => {
  await using runner = await StartedRunner.start({
    files: { 'handler.mjs': 'export default (request) => request.url;' },
  });
  const urlOf = async (path: string, host: string): Promise<string> =>
    (await runner.call({ path, headers: { host } })).body;
  assert.equal(await urlOf('//evil.example/x', 'a.example'), 'http://a.example//evil.example/x');
  assert.equal(await urlOf('http://b.example/x', 'a.example'), 'http://b.example/x');
  assert.equal(await urlOf('/x', 'a b'), 'http://localhost/x');
  assert.equal(await urlOf('/%zz?a=%', 'a.example'), 'http://a.example/%zz?a=%');
});

function shape({ status, body }: Answer): readonly unknown[] {
  return [status, body];
}
