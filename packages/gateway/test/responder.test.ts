import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrustedProxies } from '../src/index.ts';
import type { ReceivedRequest, Responder, ResponderAnswer } from '../src/inner/responder.ts';
import { eventually, gate, startRig } from './rig.ts';

interface Recorder extends Responder {
  readonly received: ReceivedRequest[];
}

function recorder(
  respond: (
    request: ReceivedRequest,
    signal: AbortSignal,
  ) => Promise<ResponderAnswer> = async () => ({
    status: 202,
    headers: [['Location', '/-/calls/1']],
    body: 'later\n',
  }),
): Recorder {
  const received: ReceivedRequest[] = [];
  return {
    received,
    bodyBytesMax: 64,
    respond(request, signal) {
      received.push(request);
      return respond(request, signal);
    },
  };
}

const head = 'Host: fnlet.example\r\nConnection: close\r\n';
const ask = `${head}Prefer: respond-async\r\n`;

test('a call that prefers it is answered by the responder, not by the function', async (t) => {
  const later = recorder();
  const rig = await startRig(t, { later });
  const answer = await rig.exchange(
    `POST /default/hello/a?b=c HTTP/1.1\r\n${ask}X-Own: 1\r\nContent-Length: 4\r\n\r\nbody`,
  );
  assert.match(answer, /^HTTP\/1\.1 202 Accepted\r\n/);
  assert.match(answer, /\r\nLocation: \/-\/calls\/1\r\n/);
  assert.match(answer, /\r\nContent-Length: 6\r\n/);
  assert.match(answer, /\r\n\r\nlater\n$/);
  const [request] = later.received;
  assert.deepEqual(request?.call, { namespace: 'default', function: 'hello' });
  assert.equal(request.method, 'POST');
  assert.equal(request.target, '/a?b=c');
  assert.equal(Buffer.from(request.body).toString(), 'body');
  assert.deepEqual(
    request.headers.filter(([name]) => !/^(traceparent|x-request-id|x-forwarded-.*)$/.test(name)),
    [
      ['Host', 'fnlet.example'],
      ['Prefer', 'respond-async'],
      ['X-Own', '1'],
    ],
  );
});

test('a responder is told how the request came', async (t) => {
  const later = recorder();
  const trustedProxies = parseTrustedProxies('1');
  assert.ok(trustedProxies !== undefined);
  const rig = await startRig(t, { later, gateway: { trustedProxies } });
  const fields = 'X-Request-Id: mine\r\nX-Forwarded-For: 198.51.100.7\r\n';
  await rig.exchange(`GET /default/hello HTTP/1.1\r\n${ask}${fields}\r\n`);
  const headers = new Map(later.received[0]?.headers);
  assert.equal(headers.get('x-request-id'), 'mine');
  assert.equal(headers.get('x-forwarded-for'), '198.51.100.7');
  assert.equal(headers.get('x-forwarded-proto'), 'http');
  assert.equal(headers.get('x-forwarded-host'), 'fnlet.example');
  assert.equal(later.received[0]?.remoteAddress, '127.0.0.1');
});

test('so is a call with /async before its path, unless a function answers there', async (t) => {
  const later = recorder();
  const rig = await startRig(t, { later });
  await rig.exchange(`GET /async/default/hello/x HTTP/1.1\r\n${head}\r\n`);
  assert.deepEqual(later.received[0]?.call, { namespace: 'default', function: 'hello' });
  assert.equal(later.received[0]?.target, '/x');
  const own = { namespace: 'async', function: 'default', revision: undefined };
  rig.gateway.setRoute({
    ...own,
    timeoutMs: 1,
    wakeMs: 0,
    bodyBytesMax: 1,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  });
  const answer = await rig.exchange(`GET /async/default/hello HTTP/1.1\r\n${head}\r\n`);
  assert.match(answer, /^HTTP\/1\.1 503 .*\r\n/);
  assert.equal(later.received.length, 1);
});

test('a function that does not exist is answered 404 at once', async (t) => {
  const later = recorder();
  const rig = await startRig(t, { later });
  assert.match(await rig.exchange(`GET /default/gone HTTP/1.1\r\n${ask}\r\n`), / 404 /);
  assert.match(await rig.exchange(`GET /async/default/gone HTTP/1.1\r\n${head}\r\n`), / 404 /);
  assert.equal(later.received.length, 0);
});

test('a function that was never ready yet may be called later all the same', async (t) => {
  const later = recorder();
  const rig = await startRig(t, { later, route: { revision: undefined } });
  assert.match(await rig.exchange(`GET /default/hello HTTP/1.1\r\n${ask}\r\n`), / 202 /);
});

test('a policy is asked before a call is taken for later', async (t) => {
  const later = recorder();
  const refused = { status: 401, code: 'Unauthorized', message: 'Who are you?' };
  const policy = { admit: () => ({ kind: 'refusal', answer: refused }) as const };
  const rig = await startRig(t, { later, route: { policy } });
  assert.match(await rig.exchange(`GET /default/hello HTTP/1.1\r\n${ask}\r\n`), / 401 /);
  assert.match(await rig.exchange(`GET /async/default/hello HTTP/1.1\r\n${head}\r\n`), / 401 /);
  assert.equal(later.received.length, 0);
});

test('what a policy changes is changed for a call that is taken for later', async (t) => {
  const later = recorder();
  const policy = {
    admit: () =>
      ({
        kind: 'pass',
        forward: { remove: new Set(['authorization']), add: [['X-User', 'ada']] },
        answer: { remove: new Set<string>(), add: [['Access-Control-Allow-Origin', '*']] },
        bodyBytesMax: 2,
      }) as const,
  };
  const rig = await startRig(t, { later, route: { policy } });
  const start = `POST /default/hello HTTP/1.1\r\n${ask}Authorization: secret\r\n`;
  const answer = await rig.exchange(`${start}Content-Length: 2\r\n\r\nok`);
  assert.match(answer, /\r\nAccess-Control-Allow-Origin: \*\r\n/);
  const names = later.received[0]?.headers.map(([name]) => name.toLowerCase());
  assert.ok(names?.includes('x-user'));
  assert.ok(!names?.includes('authorization'));
  assert.match(await rig.exchange(`${start}Content-Length: 3\r\n\r\nbig`), / 413 /);
});

test('a body in chunks arrives as what it says, and one that is too large is refused', async (t) => {
  const later = recorder();
  const rig = await startRig(t, { later });
  const start = `POST /default/hello HTTP/1.1\r\n${ask}Transfer-Encoding: chunked\r\n\r\n`;
  assert.match(await rig.exchange(`${start}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`), / 202 /);
  assert.equal(Buffer.from(later.received[0]?.body ?? []).toString(), 'abc');
  assert.match(await rig.exchange(`${start}41\r\n${'x'.repeat(65)}\r\n0\r\n\r\n`), / 413 /);
  assert.match(await rig.exchange(`${start}zz\r\n`), / 400 /);
  assert.equal(later.received.length, 1);
});

test('a client that waits for 100 gets it', async (t) => {
  const rig = await startRig(t, { later: recorder() });
  const client = rig.client();
  client.send(
    `POST /default/hello HTTP/1.1\r\n${ask}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  );
  await client.until((text) => text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
  client.send('ok');
  assert.match(await client.untilEnd(), / 202 /);
});

test('a connection goes on after such an answer, in the order of the requests', async (t) => {
  const rig = await startRig(t, { later: recorder() });
  const client = rig.client();
  const request = 'GET /-/calls/1 HTTP/1.1\r\nHost: a\r\n\r\n';
  client.send(`${request}GET /-/healthz HTTP/1.1\r\nHost: a\r\n\r\n`);
  await client.until((text) => text.includes('202 Accepted') && text.endsWith('ok\n'));
});

test('bodies together stay within the bound, and room comes back', async (t) => {
  const held = gate();
  const later = recorder(async () => {
    await held.opened;
    return { status: 204, headers: [], body: '' };
  });
  const rig = await startRig(t, { later, limits: { receptionBytesMax: 10 } });
  const request = `POST /default/hello HTTP/1.1\r\n${ask}Content-Length: 8\r\n\r\n12345678`;
  const first = rig.exchange(request);
  await eventually(() => later.received.length === 1);
  assert.match(await rig.exchange(request), / 503 [\s\S]*Retry-After: 1\r\n/);
  held.open();
  assert.match(await first, / 204 /);
  assert.match(await rig.exchange(request), / 204 /);
});

test('the signal aborts when the client goes away', async (t) => {
  let aborted = false;
  const later = recorder(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('gone'));
        });
      }),
  );
  const rig = await startRig(t, { later });
  const client = rig.client();
  client.send(`GET /default/hello HTTP/1.1\r\n${ask}\r\n`);
  await eventually(() => later.received.length === 1);
  client.socket.destroy();
  await eventually(() => aborted);
});

test('a responder that fails is a 500, and one that answers no header, too', async (t) => {
  const broken = recorder(() => Promise.reject(new Error('disk full')));
  const rig = await startRig(t, { later: broken });
  const request = `GET /default/hello HTTP/1.1\r\n${ask}\r\n`;
  assert.match(await rig.exchange(request), / 500 [\s\S]*disk full/);
  const split = recorder(async () => ({ status: 200, headers: [['A', 'b\r\nC: d']], body: '' }));
  const other = await startRig(t, { later: split });
  assert.match(await other.exchange(request), / 500 /);
});

test('without a responder the preference is passed on and heeded by nobody', async (t) => {
  const rig = await startRig(t);
  rig.gateway.setEndpoints('default/hello-1', [
    await rig.instance((request, response) => response.end(request.headers.prefer)),
  ]);
  assert.match(
    await rig.exchange(`GET /default/hello HTTP/1.1\r\n${ask}\r\n`),
    / 200 [\s\S]*respond-async/,
  );
  assert.match(await rig.exchange(`GET /-/calls/1 HTTP/1.1\r\n${head}\r\n`), / 404 /);
});
