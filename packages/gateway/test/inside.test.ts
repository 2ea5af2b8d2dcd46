/** Functions that are internal, as those outside and those inside see them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { parseRoutePath } from '../src/index.ts';
import type { ReceivedRequest, Responder } from '../src/inner/responder.ts';
import { createIdentity, onlyFallback } from './front-clients.ts';
import { type Rig, startRig, startWarmRig } from './rig.ts';

const target = { namespace: 'default', function: 'hello' };

interface InternalRig {
  readonly rig: Rig;
  /** Where those inside come. */
  readonly inside: number;
  /** Calls that were taken to be answered later. */
  readonly later: ReceivedRequest['call'][];
}

async function startInternal(t: TestContext): Promise<InternalRig> {
  const later: ReceivedRequest['call'][] = [];
  const respond = async ({ call }: ReceivedRequest) => {
    later.push(call);
    return { status: 202, headers: [], body: '' };
  };
  const rig = await startWarmRig(t, (request, response) => response.end(`got ${request.url}`), {
    route: { internal: true },
    later: { bodyBytesMax: 10, respond },
  });
  const inside = (await rig.gateway.listenInside({ host: '127.0.0.1', port: 0 })).port;
  return { rig, inside, later };
}

async function get(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const text = await answer.text();
  return `${answer.status} ${text.replace(/ \(request .*\)\n$/, '')}`;
}

test('to those outside a Function that is internal is one that does not exist', async (t) => {
  const { rig } = await startInternal(t);
  const unlike = (text: string): string => text.replaceAll('hello', 'nobody');
  for (const path of ['/default/hello', '/default/hello/a?b', '/async/default/hello']) {
    const answer = await get(rig.port, path);
    assert.match(answer, /^404 No function answers at /);
    assert.equal(unlike(answer), await get(rig.port, unlike(path)), path);
  }
  for (const host of ['hello.default', 'hello.default.svc.cluster.local', 'HELLO.default.x:80']) {
    const lines = ['GET / HTTP/1.1', `Host: ${host}`, 'Connection: close'];
    assert.match(await rig.exchange(`${lines.join('\r\n')}\r\n\r\n`), /^HTTP\/1.1 404 /, host);
  }
  const prefer = { prefer: 'respond-async' };
  assert.match(await get(rig.port, '/default/hello', prefer), /^404 /);
  assert.match(await get(rig.port, '/-/routes/default/hello'), /^404 /);
  assert.equal(rig.gateway.answersAt('hello.default.example.com'), false);
  assert.equal(rig.gateway.demandOf('default/hello-1').arrivals, 0);
});

test('TLS and HTTP/2 are outside, too', async (t) => {
  const { rig } = await startInternal(t);
  const { sign } = await createIdentity();
  const source = onlyFallback(await sign('localhost'));
  const { port } = await rig.gateway.listenTls({ host: '127.0.0.1', port: 0 }, source);
  const { connect } = process.getBuiltinModule('node:http2');
  for (const url of [`https://127.0.0.1:${port}`, `http://127.0.0.1:${rig.port}`]) {
    const session = connect(url, { rejectUnauthorized: false });
    const asked = session.request({ ':path': '/default/hello' });
    const [headers] = await once(asked, 'response');
    assert.equal(headers[':status'], 404, url);
    asked.resume();
    session.destroy();
  }
});

test('those inside call it by its names, now or later', async (t) => {
  const { rig, inside, later } = await startInternal(t);
  assert.equal(await get(inside, '/default/hello/a?b'), '200 got /a?b');
  assert.match(await get(inside, '/-/routes/default/hello'), /^200 /);
  assert.match(await get(inside, '/async/default/hello'), /^202 /);
  assert.match(await get(inside, '/default/hello', { prefer: 'respond-async' }), /^202 /);
  assert.deepEqual(later, [target, target]);
  const call = {
    ...{ ...target, method: 'GET', target: '/x', headers: [], body: Buffer.alloc(0) },
    ...{ remoteAddress: '127.0.0.1', answerBytesMax: 100, timeoutMs: 10_000 },
  };
  const outcome = await rig.gateway.invoke(call, new AbortController().signal);
  assert.equal(outcome.status, 200);
});

test('a route leads to it, by its own rules, and so do calls for later', async (t) => {
  const { rig, later } = await startInternal(t);
  const path = parseRoutePath({ kind: 'prefix', text: '/shop' });
  rig.gateway.setHttpRoute({
    id: 'default/shop',
    matches: [{ host: '', path, methods: [] }],
    target,
    rewrite: '/',
    policy: {
      admit: ({ head }) =>
        head.fields.known.has('x-request-id')
          ? { kind: 'refusal', answer: { status: 403, code: 'Forbidden', message: 'no' } }
          : { kind: 'pass' },
    },
  });
  assert.equal(await get(rig.port, '/shop/a'), '200 got /a');
  assert.match(await get(rig.port, '/shop/a', { 'x-request-id': 'no' }), /^403 /);
  assert.match(await get(rig.port, '/shop/a', { prefer: 'respond-async' }), /^202 /);
  assert.deepEqual(later, [target]);
  assert.match(await get(rig.port, '/default/hello/a'), /^404 /);
});

test('those inside are told what names of Services lead to, Functions or not', async (t) => {
  const asked: string[] = [];
  const serviceNames: Responder = {
    bodyBytesMax: 0,
    respond: async (request) => {
      asked.push(request.target);
      return { status: 200, headers: [], body: 'told' };
    },
  };
  const rig = await startRig(t, { gateway: { serviceNames }, route: { internal: true } });
  const inside = (await rig.gateway.listenInside({ host: '127.0.0.1', port: 0 })).port;
  assert.match(await get(inside, '/-/routes/default/hello'), /^200 a function answers there/);
  assert.match(await get(inside, '/-/routes/default/hello/6379'), /^200 a function answers there/);
  assert.equal(await get(inside, '/-/routes/default/redis'), '200 told');
  assert.equal(await get(inside, '/-/routes/default/redis/6379'), '200 told');
  assert.match(await get(inside, '/-/routes/default/redis/x'), /^404 /);
  assert.match(await get(rig.port, '/-/routes/default/redis'), /^404 /);
  assert.match(await get(rig.port, '/-/routes/default/hello/6379'), /^404 /);
  assert.deepEqual(asked, ['/-/routes/default/redis', '/-/routes/default/redis/6379']);
});
