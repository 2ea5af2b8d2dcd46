import assert from 'node:assert/strict';
import { unlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { eventually, gate, revision, startRig, startWarmRig } from './rig.ts';

const ask = (method: string, body = ''): string =>
  `${method} /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

test('an idempotent call whose Instance dies is tried once elsewhere', async (t) => {
  const rig = await startRig(t);
  let hits = 0;
  const dying = await rig.rawInstance((socket) => {
    socket.on('data', () => {
      hits++;
      socket.destroy();
    });
  });
  const good = await rig.instance((incoming, answer) => incoming.pipe(answer));
  rig.gateway.setEndpoints(revision, [dying]);
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
    const received = rig.exchange(ask(method, 'body'));
    const before = hits;
    await eventually(() => hits > before);
    assert.match(await received, /^HTTP\/1.1 502 /, `${method} alone`);
  }
  rig.gateway.setEndpoints(revision, [dying, good]);
  for (let i = 0; i < 20; i++) {
    assert.match(await rig.exchange(ask('PUT', 'body')), /^HTTP\/1.1 200 [\s\S]*\nbody\r\n/);
  }
});

test('a POST that may have been processed is 502 and never sent twice', async (t) => {
  const rig = await startRig(t);
  let hits = 0;
  const make = (): ReturnType<typeof rig.rawInstance> =>
    rig.rawInstance((socket) => {
      socket.on('data', () => {
        hits++;
        socket.destroy();
      });
    });
  rig.gateway.setEndpoints(revision, [await make(), await make()]);
  assert.match(await rig.exchange(ask('POST', 'x')), /^HTTP\/1.1 502 [\s\S]*went away/);
  assert.equal(hits, 1);
});

test('a refused connection sends any method elsewhere', async (t) => {
  const rig = await startRig(t);
  const gone = await rig.instance(() => {});
  unlinkSync(gone.socketPath);
  const good = await rig.instance((incoming, answer) => incoming.pipe(answer));
  rig.gateway.setEndpoints(revision, [gone, good]);
  for (let i = 0; i < 20; i++) {
    assert.match(await rig.exchange(ask('POST', 'body')), /^HTTP\/1.1 200 [\s\S]*\nbody\r\n/);
  }
});

test('with nobody else there the call waits for a new Instance', async (t) => {
  const rig = await startRig(t);
  const gone = await rig.instance(() => {});
  unlinkSync(gone.socketPath);
  rig.gateway.setEndpoints(revision, [gone]);
  const received = rig.exchange(ask('POST', 'body'));
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  rig.gateway.setEndpoints(revision, [
    await rig.instance((incoming, answer) => incoming.pipe(answer)),
  ]);
  assert.match(await received, /^HTTP\/1.1 200 [\s\S]*\nbody\r\n/);
});

test('an Instance whose process has begun anew, without code, takes no call of any method', async (t) => {
  const rig = await startRig(t);
  const empty = await rig.instance((incoming, answer) => {
    incoming.resume();
    answer.writeHead(503, { 'x-fnlet-unloaded': '1' }).end('No function is loaded');
  });
  rig.gateway.setEndpoints(revision, [empty]);
  const received = rig.exchange(ask('POST', 'body'));
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  rig.gateway.setEndpoints(revision, [
    await rig.instance((incoming, answer) => incoming.pipe(answer)),
  ]);
  assert.match(await received, /^HTTP\/1.1 200 [\s\S]*\nbody\r\n/);
});

test('an Instance that refuses is tried again later, and in the end it is 502', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock });
  const gone = await rig.instance(() => {});
  unlinkSync(gone.socketPath);
  rig.gateway.setEndpoints(revision, [gone]);
  const client = rig.client();
  client.send(ask('GET'));
  for (let attempt = 1; attempt <= 2; attempt++) {
    await eventually(() => rig.gateway.demandOf(revision).queued === 1);
    await clock.advance(200);
  }
  await client.until((received) => /^HTTP\/1.1 502 /.test(received));
});

test('connections that the Instance closed while idle are never seen by a client', async (t) => {
  const rig = await startRig(t);
  const sockets: Socket[] = [];
  const endpoint = await rig.instance((incoming, answer) => incoming.pipe(answer));
  endpoint.server.on('connection', (socket) => sockets.push(socket));
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  for (let count = 1; count <= 50; count++) {
    client.send('POST /default/hello/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi');
    await client.until((received) => received.split('HTTP/1.1 200').length === count + 1);
    // Closed, but the Gateway has not heard of it when the next request comes.
    for (const socket of sockets.splice(0)) socket.destroy();
  }
  assert.doesNotMatch(client.received, /HTTP\/1.1 5/);
});

test('a connection is not used beyond the time that the Instance promised', async (t) => {
  const clock = new VirtualClock();
  let connections = 0;
  const rig = await startRig(t, { clock });
  const endpoint = await rig.rawInstance((socket) => {
    connections++;
    socket.on('data', () =>
      socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 1\r\n\r\n.'),
    );
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  for (const [pauseMs, expected] of [
    [0, 1],
    [3000, 1],
    [3900, 1],
    [4100, 2],
  ] as const) {
    await clock.advance(pauseMs);
    const before = client.received.length;
    client.send('POST /default/hello/ HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.until((received) => received.length > before && received.endsWith('.'));
    assert.equal(connections, expected);
  }
});

test('an Instance that dies within its answer cuts the client off', async (t) => {
  const begun = gate();
  const rig = await startRig(t);
  const endpoint = await rig.instance((_incoming, answer) => {
    answer.writeHead(200, { 'Content-Length': '10' });
    answer.write('half', begun.open);
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  client.send(ask('GET'));
  await client.until((received) => received.endsWith('half'));
  await begun.opened;
  rig.kill(endpoint.server);
  assert.match(await client.untilEnd(), /half$/);
  assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
});

test('an answer that falls silent for good is cut off, and its Instance is told', async (t) => {
  const clock = new VirtualClock();
  const stuck: string[] = [];
  const rig = await startRig(t, {
    clock,
    route: { timeoutMs: 1000 },
    onUnresponsive: (_, endpointId) => stuck.push(endpointId),
  });
  let say: (text: string) => void = () => {};
  const endpoint = await rig.instance((_incoming, answer) => {
    say = (text) => void answer.write(text);
    say('one');
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  client.send(ask('GET'));
  await client.until((received) => received.includes('one'));
  await clock.advance(2600);
  say('two');
  await client.until((received) => received.includes('two'));
  await clock.advance(2600);
  assert.deepEqual(stuck, []);
  await clock.advance(300);
  assert.match(await client.untilEnd(), /two\r\n$/);
  assert.deepEqual(stuck, [endpoint.id]);
});

test('calls beside one that is stuck are tried elsewhere, or told that it is gone', async (t) => {
  const clock = new VirtualClock();
  let begun = 0;
  const next = async (): Promise<void> => {
    const endpoint = await rig.instance((_incoming, answer) => answer.end('next'));
    rig.kill(stuck.server);
    rig.gateway.setEndpoints(revision, [endpoint]);
  };
  const rig = await startRig(t, {
    clock,
    route: { timeoutMs: 1000, wakeMs: 1000 },
    onUnresponsive: () => void next(),
  });
  const stuck = await rig.instance(() => void begun++);
  rig.gateway.setEndpoints(revision, [stuck]);
  const first = rig.client();
  first.send(ask('GET'));
  await eventually(() => begun === 1);
  await clock.advance(500);
  const [get, post] = [rig.client(), rig.client()];
  get.send(ask('GET'));
  post.send(ask('POST'));
  await eventually(() => begun === 3);
  await clock.advance(1400);
  assert.match(await first.untilEnd(), /^HTTP\/1.1 504 /);
  assert.match(await get.untilEnd(), /^HTTP\/1.1 200 [\s\S]*next$/);
  assert.match(await post.untilEnd(), /^HTTP\/1.1 502 /);
});

test('no idempotent call fails while one of two Instances is killed under load', async (t) => {
  const rig = await startRig(t);
  const one = await rig.instance((_incoming, answer) => void setImmediate(() => answer.end('1')));
  const two = await rig.instance((_incoming, answer) => void setImmediate(() => answer.end('2')));
  rig.gateway.setEndpoints(revision, [one, two]);
  let killed = false;
  const callers = Array.from({ length: 20 }, async (_, caller) => {
    for (let i = 0; i < 20; i++) {
      if (caller === 0 && i === 10) {
        killed = true;
        rig.kill(one.server);
      }
      assert.match(await rig.exchange(ask('GET')), /^HTTP\/1.1 200 [\s\S]*[12]$/);
    }
  });
  await Promise.all(callers);
  assert.ok(killed);
});

test('an answer before the end of the request leaves both connections in order', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => {
    if (incoming.method === 'POST') answer.end('early');
    else answer.end('after');
  });
  const client = rig.client();
  client.send('POST /default/hello/ HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc');
  await client.until((received) => received.endsWith('early'));
  client.send(`def${ask('GET')}`);
  assert.match(await client.untilEnd(), /after$/);
});
