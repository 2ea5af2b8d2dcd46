import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { eventually, gate, revision, route, startRig, startWarmRig } from './rig.ts';

const post = (fields: string): string =>
  `POST /default/hello/ HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n`;
const get = (path = '/'): string => `GET /default/hello${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('connections to client and Instance are used again', async (t) => {
  let connections = 0;
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end('.'));
  const endpoint = await rig.instance((_incoming, answer) => answer.end('.'));
  endpoint.server.on('connection', () => connections++);
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  for (let count = 1; count <= 5; count++) {
    client.send(get());
    await client.until((received) => received.split('HTTP/1.1 200').length === count + 1);
  }
  assert.equal(connections, 1);
});

test('pipelined requests are answered in order, bodies and own answers among them', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => setImmediate(() => answer.end(`<${incoming.url}${body}>`)));
  });
  const client = rig.client();
  client.send(
    `${get('/1')}POST /default/hello/2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc` +
      `GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n` +
      `POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc${get('/3')}${get('/4')}`,
  );
  const received = await client.until((text) => text.includes('</4>'));
  assert.deepEqual(
    received.match(/<[^>]*>|HTTP\/1.1 404/g)?.filter((part) => !/</.test(part) || /\d/.test(part)),
    ['</1>', '</2abc>', 'HTTP/1.1 404', 'HTTP/1.1 404', '</3>', '</4>'],
  );
});

test('a thousand pipelined requests neither pile up nor nest', async (t) => {
  const rig = await startRig(t);
  const client = rig.client();
  client.send('GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000));
  client.send('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.equal((await client.untilEnd()).split('HTTP/1.1 404').length, 1002);
});

test('a client that goes away cancels its call', async (t) => {
  const aborted = gate();
  const begun = gate();
  const rig = await startWarmRig(t, (incoming) => {
    begun.open();
    incoming.on('close', aborted.open);
  });
  const client = rig.client();
  client.send(get());
  await begun.opened;
  assert.equal(rig.gateway.demandOf(revision).inFlight, 1);
  client.socket.destroy();
  await aborted.opened;
  assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
});

for (const [when, request, first] of [
  ['sends its body', `${post('Content-Length: 9')}half`, undefined],
  ['is asked for its body', post('Content-Length: 9\r\nExpect: 100-continue'), undefined],
  ['reads its answer', get(), 'some'],
] as const) {
  test(`a client that goes away while it ${when} cancels its call`, async (t) => {
    const begun = gate();
    const aborted = gate();
    const rig = await startWarmRig(t, (incoming, answer) => {
      begun.open();
      incoming.on('error', () => {});
      answer.on('close', aborted.open);
      if (first !== undefined) answer.write(first);
    });
    const client = rig.client();
    client.send(request);
    await begun.opened;
    if (first !== undefined) await client.until((received) => received.includes(first));
    client.socket.destroy();
    await aborted.opened;
    assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
  });
}

test('a client that ends its side of the connection is gone too, as for nginx', async (t) => {
  const begun = gate();
  const rig = await startWarmRig(t, () => begun.open());
  const client = rig.client();
  client.send(get());
  await begun.opened;
  client.socket.end();
  assert.equal(await client.untilEnd(), '');
  assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
});

test('a client that never reads its answer is cut off', async (t) => {
  const clock = new VirtualClock();
  let closed = false;
  const rig = await startWarmRig(
    t,
    (_incoming, answer) => {
      answer.on('close', () => {
        closed = true;
      });
      answer.end(Buffer.alloc(50_000_000));
    },
    { clock },
  );
  const client = rig.client();
  client.socket.pause();
  client.send(get());
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 1);
  for (let i = 0; i < 500; i++) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(59_000);
  assert.equal(closed, false);
  await clock.advance(2_000);
  await eventually(() => closed);
});

test('a body over the limit is 413, by its length at once and by counting', async (t) => {
  let calls = 0;
  const rig = await startWarmRig(
    t,
    (incoming) => {
      calls++;
      incoming.resume();
    },
    { route: { bodyBytesMax: 10 } },
  );
  const post = 'POST /default/hello/ HTTP/1.1\r\nHost: x\r\n';
  const announced = await rig.exchange(`${post}Content-Length: 10000000\r\n\r\nabc`);
  assert.match(announced, /^HTTP\/1.1 413 [\s\S]*Connection: close/);
  assert.equal(calls, 0);
  const client = rig.client();
  client.send(`${post}Transfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n`);
  await eventually(() => calls === 1);
  client.send('8\r\n12345678\r\n');
  assert.match(await client.untilEnd(), /^HTTP\/1.1 413 /);
  const small = rig.client();
  small.send(`${post}Content-Length: 11\r\n\r\n12345678901${get('/-')}`);
  await small.until((received) => /^HTTP\/1.1 413 /.test(received));
  await eventually(() => calls === 2);
});

test('answers of the Gateway are one line of text, or JSON where the client prefers it', async (t) => {
  const rig = await startRig(t);
  const ask = (accept: string): Promise<string> =>
    rig.exchange(
      `GET /a/b HTTP/1.1\r\nHost: x\r\nX-Request-Id: r1\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
    );
  assert.match(
    await ask('*/*'),
    /^HTTP\/1.1 404 Not Found\r\nContent-Type: text\/plain; charset=utf-8\r\n[\s\S]*\(request r1\)\n$/,
  );
  const [, body = ''] = (await ask('application/json')).split('\r\n\r\n');
  const { code, requestId } = JSON.parse(body);
  assert.deepEqual({ code, requestId }, { code: 'RouteNotFound', requestId: 'r1' });
});

test('while routes may be others, nobody is told that there is none', async (t) => {
  let isCurrent = false;
  const rig = await startRig(t, { gateway: { isCurrent: () => isCurrent } });
  const ask = 'GET /a/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  assert.match(await rig.exchange(ask), /^HTTP\/1.1 503 [\s\S]*\r\nRetry-After: 1\r\n/);
  isCurrent = true;
  assert.match(await rig.exchange(ask), /^HTTP\/1.1 404 /);
});

test('a route without Revision answers 503 with the reason, whatever its letters', async (t) => {
  const unavailable = { reason: 'LoadFailed', message: 'handler.js:3: Ünexpected\n token „' };
  const rig = await startRig(t);
  rig.gateway.setRoute({ ...route(), revision: undefined, unavailable });
  const received = await rig.exchange(
    `GET /default/hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  assert.match(received, /^HTTP\/1.1 503 [\s\S]*Retry-After: 5/);
  const text = Buffer.from(received, 'latin1').toString('utf8');
  assert.match(text, /LoadFailed: handler\.js:3: Ünexpected token „/);
});

test('routes come and go between two requests of one connection', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end('.'));
  const client = rig.client();
  const status = async (count: number): Promise<string | undefined> => {
    client.send(get());
    const pattern = /HTTP\/1.1 (\d{3})/g;
    await client.until((received) => [...received.matchAll(pattern)].length === count);
    return [...client.received.matchAll(pattern)].at(-1)?.[1];
  };
  assert.equal(await status(1), '200');
  rig.gateway.removeRoute('default', 'hello');
  assert.equal(await status(2), '404');
  rig.gateway.setRoutes([route()]);
  assert.equal(await status(3), '200');
  rig.gateway.setRoutes([]);
  assert.equal(await status(4), '404');
});

test('the Gateway tells about its own health', async (t) => {
  const rig = await startRig(t);
  const received = await rig.exchange(
    'GET /-/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  assert.match(received, /^HTTP\/1.1 200 OK[\s\S]*ok\n$/);
});

test('a header that trickles in is cut off, and so is a silent connection', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock });
  const slow = rig.client();
  const idle = rig.client();
  slow.send('GET / HTTP/1.1\r\nHo');
  idle.send('GET /-/healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await idle.until((received) => received.endsWith('ok\n'));
  await clock.advance(15_200);
  assert.match(await slow.untilEnd(), /^HTTP\/1.1 408 /);
  assert.equal(idle.ended, false);
  await clock.advance(60_000);
  await idle.untilEnd();
});

test('a header flood of connections ends at the limit', async (t) => {
  const rig = await startRig(t, { limits: { connectionsMax: 2 } });
  const first = rig.client();
  const second = rig.client();
  for (const client of [first, second]) {
    client.send('GET /-/healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.until((received) => received.endsWith('ok\n'));
  }
  await rig.client().untilEnd();
});

test('close() lets calls in flight finish and ends idle connections', async (t) => {
  const begun = gate();
  const goOn = gate();
  const rig = await startWarmRig(t, async (_incoming, answer) => {
    begun.open();
    await goOn.opened;
    answer.end('done');
  });
  const idle = rig.client();
  idle.send('GET /-/healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await idle.until((received) => received.endsWith('ok\n'));
  const busy = rig.client();
  busy.send(get());
  await begun.opened;
  const closed = rig.gateway.close({ graceMs: 10_000 });
  await idle.untilEnd();
  goOn.open();
  assert.match(await busy.untilEnd(), /^HTTP\/1.1 200 OK[\s\S]*Connection: close[\s\S]*done/);
  await closed;
});

test('close() lets requests in that are on their way', async (t) => {
  const clock = new VirtualClock();
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end('done'), { clock });
  const [kept, partial, idle] = [rig.client(), rig.client(), rig.client()];
  const first = 'GET /-/healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  kept.send(first);
  idle.send(first);
  partial.send(first + get().slice(0, 9));
  for (const client of [kept, partial, idle]) {
    await client.until((received) => received.endsWith('ok\n'));
  }
  const closed = rig.gateway.close({ graceMs: 10_000 });
  kept.send(get());
  await clock.advance(200);
  assert.match(await kept.untilEnd(), /Connection: close[\s\S]*done/);
  assert.equal(idle.ended, false);
  await clock.advance(300);
  await idle.untilEnd();
  assert.equal(partial.ended, false);
  partial.send(get().slice(9));
  assert.match(await partial.untilEnd(), /Connection: close[\s\S]*done/);
  await closed;
});

test('close() cuts what is left at the end of the grace period', async (t) => {
  const begun = gate();
  const clock = new VirtualClock();
  const rig = await startWarmRig(t, () => begun.open(), { clock });
  const busy = rig.client();
  busy.send(get());
  await begun.opened;
  const closed = rig.gateway.close({ graceMs: 1000 });
  await clock.advance(1000);
  await closed;
  assert.equal(await busy.untilEnd(), '');
  assert.equal(clock.timers, 0);
});
