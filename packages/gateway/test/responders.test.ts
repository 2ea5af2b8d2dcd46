/** Requests that are answered in the Gateway's own process: by routes, and by names of Services. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { parseRoutePath } from '../src/index.ts';
import type { ReceivedRequest, Responder } from '../src/inner/responder.ts';
import { type Rig, startWarmRig } from './rig.ts';

const name = { namespace: 'shop', name: 'orders' };

/** Answers with what it got. */
function echo(): Responder {
  return {
    bodyBytesMax: 10,
    async respond({ method, target, body }: ReceivedRequest) {
      return { status: 202, headers: [], body: `${method} ${target} ${Buffer.from(body)}` };
    },
  };
}

async function post(port: number, path: string, host: string): Promise<string> {
  const sent = request({ port, path, method: 'POST', headers: { host } });
  sent.end(path.startsWith('/long') ? 'x'.repeat(11) : 'x');
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return `${answer.statusCode} ${text}`;
}

async function insideOf(rig: Rig): Promise<number> {
  return (await rig.gateway.listenInside({ host: '127.0.0.1', port: 0 })).port;
}

test('a name of a Service is answered to those inside, in all its forms, and to nobody else', async (t) => {
  const rig = await startWarmRig(t, (_, response) => response.end('a function'));
  const inside = await insideOf(rig);
  rig.gateway.setService(name, echo());
  for (const host of ['orders.shop', 'Orders.shop.svc:80', 'orders.shop.svc.cluster.local']) {
    assert.equal(await post(inside, '/default/hello?b', host), '202 POST /default/hello?b x', host);
  }
  assert.match(await post(inside, '/long', 'orders.shop.svc'), /^413 /);
  assert.match(await post(rig.port, '/', 'orders.shop.svc.cluster.local'), /^404 /);
  assert.match(await post(inside, '/', 'others.shop.svc.cluster.local'), /^404 /);
  rig.gateway.removeService(name);
  assert.match(await post(inside, '/', 'orders.shop.svc.cluster.local'), /^404 /);
});

test('paths of events go to who takes them, from inside and outside, and no route takes them', async (t) => {
  const rig = await startWarmRig(t, (_, response) => response.end('a function'));
  const inside = await insideOf(rig);
  assert.match(await post(rig.port, '/-/events/shop/a', 'any'), /^404 /);
  rig.gateway.setEventSinks(echo());
  const path = parseRoutePath({ kind: 'prefix', text: '/' });
  const target = { namespace: 'default', function: 'hello' };
  const matches = [{ host: '', path, methods: [] }];
  rig.gateway.setHttpRoute({ id: 'all', matches, target });
  for (const port of [rig.port, inside]) {
    const answered = await post(port, '/-/events/shop/a?b', '127.0.0.1');
    assert.equal(answered, '202 POST /-/events/shop/a?b x');
  }
  assert.match(await post(rig.port, '/-/event', '127.0.0.1'), /^404 /);
});

test('Runners that ask for such a name are told that somebody answers there', async (t) => {
  const rig = await startWarmRig(t, (_, response) => response.end('a function'));
  const inside = await insideOf(rig);
  rig.gateway.setService(name, echo());
  const ask = async (port: number): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/-/routes/shop/orders/80`)).status;
  assert.equal(await ask(inside), 200);
  assert.equal(await ask(rig.port), 404);
});

test('a Function keeps its name, whatever Service has the same', async (t) => {
  const rig = await startWarmRig(t, (_, response) => response.end('a function'));
  const inside = await insideOf(rig);
  rig.gateway.setService({ namespace: 'default', name: 'hello' }, echo());
  assert.equal(await post(inside, '/', 'hello.default.svc.cluster.local'), '200 a function');
});

test('a route to a responder keeps its policy, its rewriting and its methods', async (t) => {
  const rig = await startWarmRig(t, (_, response) => response.end('a function'));
  let admits = true;
  const answer = { status: 403, code: 'Forbidden', message: 'no' };
  rig.gateway.setHttpRoute({
    id: 'shop/hook',
    matches: [
      { host: '', path: parseRoutePath({ kind: 'prefix', text: '/hook' }), methods: ['POST'] },
    ],
    target: { responder: echo() },
    rewrite: '/in',
    policy: { admit: () => (admits ? { kind: 'pass' } : { kind: 'refusal', answer }) },
  });
  assert.equal(await post(rig.port, '/hook/a?b=c', 'example.com'), '202 POST /in/a?b=c x');
  assert.equal((await fetch(`http://127.0.0.1:${rig.port}/hook`)).status, 405);
  admits = false;
  assert.match(await post(rig.port, '/hook', 'example.com'), /^403 /);
});
