// Functions with several Revisions: who gets which call, copies of calls, and what is counted.
import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { GatewayLimits } from '../src/limits.ts';
import type { RouteSplit } from '../src/route.ts';
import { eventually, type Rig, route, startRig } from './rig.ts';

const [oldId, newId] = ['default/hello-old', 'default/hello-new'] as const;

interface Split extends Omit<RouteSplit, 'shares'> {
  /** What the newer of the two Revisions gets; its tag is `next`. */
  readonly percent: number;
}

/** A Function with two Revisions that answer with their names, or as they are told. */
async function startSplit(
  t: TestContext,
  { percent, ...rest }: Split,
  options: { readonly limits?: Partial<GatewayLimits>; readonly newer?: RequestListener } = {},
): Promise<Rig> {
  const rig = await startRig(t, options);
  const shares = [
    { route: route({ revision: oldId }), percent: 100 - percent },
    { route: route({ revision: newId }), percent, tag: 'next' },
  ];
  rig.gateway.setRoute(route({ revision: oldId, split: { shares, ...rest } }));
  const names =
    (name: string): RequestListener =>
    (request, response) => {
      request.resume().on('end', () => response.end(name));
    };
  rig.gateway.setEndpoints(oldId, [await rig.instance(names('old'))]);
  rig.gateway.setEndpoints(newId, [await rig.instance(options.newer ?? names('new'))]);
  return rig;
}

async function answers(url: string, init?: RequestInit): Promise<string> {
  return (await fetch(url, init)).text();
}

test('calls are shared out, and each answer says by which Revision', async (t) => {
  const rig = await startSplit(t, { percent: 30 });
  let newer = 0;
  for (let call = 0; call < 300; call++) {
    const answer = await fetch(rig.url);
    const text = await answer.text();
    assert.equal(answer.headers.get('x-fnlet-revision'), `hello-${text}`);
    if (text === 'new') newer++;
  }
  assert.ok(newer > 50 && newer < 130, `${newer} of 300`);
  assert.equal(rig.gateway.observe(newId)?.calls, newer);
});

test('a tag has addresses of its own, at 0 percent too', async (t) => {
  const rig = await startSplit(t, { percent: 0 });
  assert.equal(await answers(`http://127.0.0.1:${rig.port}/default/next-hello/a?b`), 'new');
  const byHost = await rig.exchange(
    'GET / HTTP/1.1\r\nHost: next-hello.default.example\r\nConnection: close\r\n\r\n',
  );
  assert.match(byHost, /\r\n\r\nnew$/);
  assert.equal(await answers(rig.url), 'old');
  assert.equal(await answers(rig.url, { headers: { 'X-Fnlet-Tag': 'next' } }), 'new');
  assert.equal(await answers(rig.url, { headers: { 'X-Fnlet-Revision': 'hello-new' } }), 'new');
  const gone = route({ revision: oldId });
  rig.gateway.setRoute(gone);
  const answer = await fetch(`http://127.0.0.1:${rig.port}/default/next-hello`);
  assert.equal(answer.status, 404);
});

test('a Function of its own name is not hidden by a tag', async (t) => {
  const rig = await startSplit(t, { percent: 0 });
  rig.gateway.setRoute(route({ function: 'next-hello', revision: oldId }));
  const url = `http://127.0.0.1:${rig.port}/default/next-hello`;
  assert.equal(await answers(url), 'old');
  rig.gateway.removeRoute('default', 'next-hello');
  assert.equal(await answers(url), 'new');
});

test('a session stays with the Revision that answered first', async (t) => {
  const rig = await startSplit(t, { percent: 50, sessionSeconds: 60 });
  const first = await fetch(rig.url);
  const revision = await first.text();
  const setCookie = first.headers.get('set-cookie') ?? '';
  assert.match(setCookie, /^fnlet-default-hello=hello-\w+; Path=\/; Max-Age=60; HttpOnly; /);
  const [cookie = ''] = setCookie.split(';');
  for (let call = 0; call < 20; call++) {
    const answer = await fetch(rig.url, { headers: { cookie } });
    assert.equal(await answer.text(), revision);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
});

test('an answer of 500, one that breaks off and a full queue are failures', async (t) => {
  const newer: RequestListener = (request, response) => {
    if (request.url === '/500') response.writeHead(500).end();
    else response.writeHead(200, { 'Content-Length': 9 }).write('x', () => response.destroy());
  };
  const rig = await startSplit(t, { percent: 100 }, { newer, limits: { queuedPerRevisionMax: 0 } });
  assert.equal((await fetch(`${rig.url}/500`)).status, 500);
  await assert.rejects(answers(`${rig.url}/cut`));
  rig.gateway.setEndpoints(newId, []);
  assert.equal((await fetch(rig.url)).status, 503);
  const { calls, failures } = rig.gateway.observe(newId) ?? {};
  assert.deepEqual({ calls, failures }, { calls: 3, failures: 3 });
  rig.gateway.setRoute(route({ revision: newId }));
  assert.equal(rig.gateway.observe(newId), undefined);
});

/** The newer Revision gets copies only; what it was sent is collected. */
async function startMirror(
  t: TestContext,
  options: { readonly limits?: Partial<GatewayLimits>; readonly nonIdempotent?: boolean } = {},
): Promise<{ readonly rig: Rig; readonly copies: string[]; release: () => void }> {
  const copies: string[] = [];
  const held: (() => void)[] = [];
  let isHeld = true;
  const { nonIdempotent = false, limits = {} } = options;
  const mirror = { route: route({ revision: newId }), percent: 100, nonIdempotent };
  const newer: RequestListener = async (request, response) => {
    copies.push(`${describe(request)} ${(await request.setEncoding('utf8').toArray()).join('')}`);
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    response.writeHead(500).end('x'.repeat(100_000));
  };
  const rig = await startSplit(t, { percent: 0, mirror }, { newer, limits });
  const release = (): void => {
    isHeld = false;
    for (const go of held.splice(0)) go();
  };
  return { rig, copies, release };
}

function describe({ method, url, headers }: IncomingMessage): string {
  return `${method} ${url} ${headers['x-fnlet-mirror']}`;
}

test('a copy is sent beside the call, marked, and its answer is thrown away', async (t) => {
  const { rig, copies, release } = await startMirror(t);
  // The copy is not answered yet when the call is.
  const body = 'a body';
  assert.equal(await answers(`${rig.url}/x?y`, { method: 'PUT', body }), 'old');
  await eventually(() => copies.length === 1);
  assert.deepEqual(copies, ['PUT /x?y true a body']);
  release();
  await eventually(() => rig.gateway.mirrored().failed === 1);
  assert.deepEqual(rig.gateway.mirrored(), { sent: 1, skipped: 0, failed: 1 });
  assert.equal(rig.gateway.demandOf(newId).inFlight, 0);
  assert.equal(rig.gateway.observe(newId), undefined);
});

test('a body that comes in pieces is copied when it is complete', async (t) => {
  const { rig, copies, release } = await startMirror(t);
  release();
  const client = rig.client();
  client.send(
    'PUT /default/hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
  );
  await eventually(() => rig.gateway.demandOf(oldId).inFlight === 1);
  client.send('2\r\nde\r\n0\r\n\r\n');
  await client.until((received) => received.endsWith('old'));
  await eventually(() => copies.length === 1);
  assert.deepEqual(copies, ['PUT / true abcde']);
});

test('what may not be made twice is copied only where that is asked for', async (t) => {
  const plain = await startMirror(t);
  assert.equal(await answers(plain.rig.url, { method: 'POST' }), 'old');
  assert.deepEqual(plain.rig.gateway.mirrored(), { sent: 0, skipped: 0, failed: 0 });
  const asked = await startMirror(t, { nonIdempotent: true });
  assert.equal(await answers(asked.rig.url, { method: 'POST' }), 'old');
  assert.equal(asked.rig.gateway.mirrored().sent, 1);
});

test('copies have bounds, and calls beyond them are answered without one', async (t) => {
  const limits = { mirroredMax: 2, mirroredBytesMax: 4 };
  const { rig, release } = await startMirror(t, { limits });
  for (let call = 0; call < 4; call++) assert.equal(await answers(rig.url), 'old');
  assert.deepEqual(rig.gateway.mirrored(), { sent: 2, skipped: 2, failed: 0 });
  release();
  await eventually(() => rig.gateway.mirrored().failed === 2);
  assert.equal(await answers(rig.url, { method: 'PUT', body: '12345' }), 'old');
  const chunked = 'Transfer-Encoding: chunked\r\nConnection: close';
  await rig.exchange(
    `PUT /default/hello HTTP/1.1\r\nHost: x\r\n${chunked}\r\n\r\n5\r\nabcde\r\n0\r\n\r\n`,
  );
  assert.deepEqual(rig.gateway.mirrored(), { sent: 2, skipped: 4, failed: 2 });
});

test('a client that goes away before its body is complete leaves no copy behind', async (t) => {
  const { rig, copies } = await startMirror(t, { limits: { mirroredMax: 1 } });
  const client = rig.client();
  client.send('PUT /default/hello HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc');
  await eventually(() => rig.gateway.demandOf(oldId).inFlight === 1);
  client.socket.destroy();
  await eventually(() => rig.gateway.mirrored().skipped === 1);
  assert.equal(await answers(rig.url), 'old');
  await eventually(() => copies.length === 1);
  assert.deepEqual(copies, ['GET / true ']);
});
