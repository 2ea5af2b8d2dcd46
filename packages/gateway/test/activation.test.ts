import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { eventually, type Rig, revision, route, startRig, startWarmRig } from './rig.ts';

const get = (path = '/'): string => `GET /default/hello${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const once = 'GET /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

test('100 parallel first requests wait, are reported, and are answered by one Instance', async (t) => {
  const wanted: string[] = [];
  const rig = await startRig(t, { onDemand: (id) => wanted.push(id) });
  const answers = Array.from({ length: 100 }, () => rig.exchange(once));
  await eventually(() => rig.gateway.demandOf(revision).queued === 100);
  assert.equal(wanted[0], revision);
  assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
  rig.gateway.setEndpoints(revision, [
    await rig.instance((_incoming, answer) => answer.end('awake')),
  ]);
  for (const received of await Promise.all(answers)) {
    assert.match(
      received,
      /^HTTP\/1.1 200 OK[\s\S]*X-Fnlet-Cold-Start: true[\s\S]*wake;dur=[\s\S]*awake$/,
    );
  }
  const { inFlight, queued, arrivals, served, servedMs, busyMs } = rig.gateway.demandOf(revision);
  assert.deepEqual({ inFlight, queued, arrivals }, { inFlight: 0, queued: 0, arrivals: 100 });
  assert.equal(served, 100);
  // Both are taken by clocks that were read one after the other.
  const isSame = Math.abs(servedMs - busyMs) <= 0.05 * busyMs;
  assert.ok(isSame, `${servedMs} ms of answers, ${busyMs} ms in flight`);
});

test('onDemand() may bring the Instance in the same tick', async (t) => {
  const rig = await startRig(t, {
    onDemand: (id) => rig.gateway.setEndpoints(id, [endpoint]),
  });
  const endpoint = await rig.instance((incoming, answer) => incoming.pipe(answer));
  const received = await rig.exchange(
    'POST /default/hello/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
  );
  assert.match(received, /^HTTP\/1.1 200 [\s\S]*\nhi\r\n/);
});

test('onDemand() hears of the first call after a pause, not of each call', async (t) => {
  const wanted: string[] = [];
  const pending: ServerResponse[] = [];
  const rig = await startWarmRig(t, (_incoming, answer) => pending.push(answer), {
    onDemand: (id) => wanted.push(id),
  });
  const first = rig.exchange(once);
  await eventually(() => pending.length === 1);
  const second = rig.exchange(once);
  await eventually(() => pending.length === 2);
  assert.equal(wanted.length, 1);
  for (const answer of pending) answer.end();
  await Promise.all([first, second]);
});

test('the hard limit parks what is over it, and serves it in order', async (t) => {
  const pending: [string, ServerResponse][] = [];
  const rig = await startWarmRig(
    t,
    (incoming, answer) => pending.push([incoming.url ?? '', answer]),
    { route: { concurrencyLimit: 2 } },
  );
  const clients = ['/1', '/2', '/3', '/4'].map(() => rig.client());
  for (const [index, client] of clients.entries()) {
    client.send(get(`/${index + 1}`));
    await eventually(() => rig.gateway.demandOf(revision).arrivals === index + 1);
  }
  await eventually(() => pending.length === 2);
  assert.equal(rig.gateway.demandOf(revision).inFlight, 2);
  assert.equal(rig.gateway.demandOf(revision).queued, 2);
  pending[1]?.[1].end();
  await eventually(() => pending.length === 3);
  pending[0]?.[1].end();
  await eventually(() => pending.length === 4);
  assert.deepEqual(
    pending.slice(2).map(([url]) => url),
    ['/3', '/4'],
  );
  for (const [, answer] of pending) answer.end();
  for (const client of clients) await client.until((received) => /HTTP\/1.1 200/.test(received));
  // Waiting for room is no cold start.
  assert.doesNotMatch(clients[3]?.received ?? '', /Cold-Start/);
});

test('a burst opens only so many connections at once', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end('.'), {
    limits: { connectingPerEndpointMax: 2 },
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => rig.exchange(once)));
  for (const received of answers) assert.match(received, /^HTTP\/1.1 200 /);
});

test('a call that waits for an Instance is read like every other', async (t) => {
  const rig: Rig = await startRig(t, {
    onDemand: () => setImmediate(() => rig.gateway.setEndpoints(revision, [instance])),
  });
  const instance = await rig.instance((incoming, answer) => {
    let text = '';
    incoming.on('data', (chunk) => {
      text += chunk;
    });
    incoming.on('end', () => answer.end(`${incoming.method} "${text}"`));
  });
  const post = 'POST /default/hello HTTP/1.1\r\nHost: h\r\n';
  const sleep = (): void => rig.gateway.setEndpoints(revision, []);
  const hesitant = rig.client();
  hesitant.send(`${post}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
  await hesitant.until((received) => received === 'HTTP/1.1 100 Continue\r\n\r\n');
  hesitant.send('abc');
  await hesitant.until((received) => received.endsWith('POST "abc"'));
  sleep();
  const slow = rig.client();
  slow.send(`${post}Transfer-Encoding: chunked\r\n\r\n`);
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 1);
  for (const piece of ['3\r\nabc', '\r\n1\r\nd\r\n0\r', '\n\r\n']) slow.send(piece);
  await slow.until((received) => received.endsWith('POST "abcd"'));
  sleep();
  const eager = rig.client();
  eager.send(`${get()}${post}Content-Length: 2\r\n\r\nhi${get()}`);
  await eager.until((received) => /GET ""[\s\S]*POST "hi"[\s\S]*GET ""$/.test(received));
});

test('a full queue answers 503 at once', async (t) => {
  const rig = await startRig(t, { limits: { queuedPerRevisionMax: 2 } });
  const waiting = [rig.client(), rig.client()];
  for (const client of waiting) client.send(get());
  await eventually(() => rig.gateway.demandOf(revision).queued === 2);
  assert.match(await rig.exchange(once), /^HTTP\/1.1 503 [\s\S]*Retry-After: 1/);
  waiting[0]?.socket.destroy();
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  const another = rig.client();
  another.send(get());
  await eventually(() => rig.gateway.demandOf(revision).queued === 2);
});

test('a parked call is answered with 504 when its time is over', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock, route: { timeoutMs: 3000 } });
  const client = rig.client();
  client.send(get());
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  await clock.advance(2900);
  assert.equal(client.received, '');
  await clock.advance(300);
  await client.until((received) => /^HTTP\/1.1 504 Gateway Timeout/.test(received));
  assert.equal(rig.gateway.demandOf(revision).queued, 0);
});

test('a call that could not wait for the end of an outage is told so at once', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock, route: { timeoutMs: 2000, wakeMs: 10_000 } });
  const instance = await rig.instance((_incoming, answer) => answer.end('back'));
  const outage = { reason: 'InstanceCrashed', message: 'It ended with code 3' };
  const parked = rig.client();
  parked.send(get());
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  rig.gateway.setEndpoints(revision, [], { ...outage, retryAfterMs: 9000 });
  await clock.advance(1000);
  assert.equal(rig.gateway.demandOf(revision).queued, 1, 'this outage ends in time');
  rig.gateway.setEndpoints(revision, [], { ...outage, retryAfterMs: 40_000 });
  const told = /^HTTP\/1.1 503 [\s\S]*Retry-After: 40\r\n[\s\S]*It ended with code 3/;
  await parked.until((received) => told.test(received));
  assert.match(await rig.exchange(once), told);
  await clock.advance(30_000);
  const patient = rig.client();
  patient.send(get());
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  rig.gateway.setEndpoints(revision, [instance]);
  await patient.until((received) => received.endsWith('back'));
});

test('waking has its own time, and so has the call that it was for', async (t) => {
  const clock = new VirtualClock();
  let begun = 0;
  const rig = await startRig(t, { clock, route: { timeoutMs: 1000, wakeMs: 10_000 } });
  const instance = await rig.instance(() => void begun++);
  const client = rig.client();
  client.send(get());
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  await clock.advance(9000);
  rig.gateway.setEndpoints(revision, [instance]);
  await eventually(() => begun === 1);
  await clock.advance(900);
  assert.equal(client.received, '');
  await clock.advance(1000);
  await client.until((received) => received.includes('did not answer within 1000 ms'));
});

test('a call that is tried again is over when its patience is, waking included', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock, route: { timeoutMs: 3000, wakeMs: 1000 } });
  let begun = 0;
  const first = await rig.instance(() => void begun++);
  const second = await rig.instance(() => void begun++);
  rig.gateway.setEndpoints(revision, [first]);
  const client = rig.client();
  client.send(get());
  await eventually(() => begun === 1);
  await clock.advance(2900);
  rig.gateway.setEndpoints(revision, [second]);
  rig.kill(first.server);
  await eventually(() => begun === 2);
  await clock.advance(1700);
  assert.equal(client.received, '');
  await clock.advance(300);
  await client.until((received) => /^HTTP\/1.1 504 /.test(received));
});

test('an Instance that does not answer is 504, and its call is cancelled', async (t) => {
  const clock = new VirtualClock();
  let begun = 0;
  let cancelled = 0;
  const rig = await startWarmRig(
    t,
    (incoming) => {
      begun++;
      incoming.on('close', () => cancelled++);
    },
    { clock, route: { timeoutMs: 3000 } },
  );
  const client = rig.client();
  client.send(get());
  await eventually(() => begun === 1);
  await clock.advance(3900);
  await client.until((received) => /^HTTP\/1.1 504 Gateway Timeout/.test(received));
  await eventually(() => cancelled === 1);
});

test('an answer that goes on is not bound by the timeout', async (t) => {
  const clock = new VirtualClock();
  const pending: ServerResponse[] = [];
  const rig = await startWarmRig(
    t,
    (_incoming, answer) => {
      answer.write('a');
      pending.push(answer);
    },
    { clock, route: { timeoutMs: 3000 } },
  );
  const client = rig.client();
  client.send(get());
  for (let parts = 1; parts < 10; parts++) {
    await client.until((received) => received.split('\r\na\r\n').length === parts + 1);
    await clock.advance(6000);
    pending[0]?.write('a');
  }
  pending[0]?.end('b');
  await client.until((received) => received.endsWith('b\r\n0\r\n\r\n'));
});

test('a body is not read while its call is parked', async (t) => {
  // 50 MB take a while on a machine that has much to do.
  const rig = await startRig(t, { route: { bodyBytesMax: 1e9, timeoutMs: 120_000 } });
  const client = rig.client();
  client.send('POST /default/hello/ HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n');
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  const block = Buffer.alloc(1_000_000, 'a');
  for (let i = 0; i < 50; i++) client.socket.write(block);
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(client.socket.writableLength > 30_000_000);
  let bytes = 0;
  rig.gateway.setEndpoints(revision, [
    await rig.instance((incoming, answer) => {
      incoming.on('data', (chunk) => {
        bytes += chunk.length;
      });
      incoming.on('end', () => answer.end('whole'));
    }),
  ]);
  await client.until((received) => received.endsWith('whole'));
  assert.equal(bytes, 50_000_000);
});

test('drained() waits for the calls of a removed endpoint, which gets no new ones', async (t) => {
  const pending: ServerResponse[] = [];
  const rig = await startRig(t);
  const old = await rig.instance((_incoming, answer) => pending.push(answer));
  rig.gateway.setEndpoints(revision, [old]);
  const client = rig.client();
  client.send(get());
  await eventually(() => pending.length === 1);
  const fresh = await rig.instance((_incoming, answer) => answer.end('fresh'));
  let drained = false;
  const done = rig.gateway.drained(revision, old.id, 1000).then(() => {
    drained = true;
  });
  rig.gateway.setEndpoints(revision, [fresh]);
  assert.match(await rig.exchange(once), /fresh$/);
  assert.equal(drained, false);
  pending[0]?.end('old');
  await client.until((received) => received.endsWith('old'));
  await done;
  await rig.gateway.drained(revision, 'unknown', 1000);
  await eventually(() => old.server.connections === undefined || old.server.connections === 0);
});

test('a call that waits for an Instance of a Function that is deleted is told so at once', async (t) => {
  const rig = await startRig(t);
  const answer = rig.exchange(once);
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  rig.gateway.setRoute({ ...route(), timeoutMs: 20_000 });
  assert.equal(rig.gateway.demandOf(revision).queued, 1);
  rig.gateway.removeRoute('default', 'hello');
  assert.match(await answer, /^HTTP\/1.1 503 [\s\S]*default\/hello was deleted/);
  assert.equal(rig.gateway.demandOf(revision).queued, 0);
});

test('demand is forgotten with the route, once nobody calls', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end());
  await rig.exchange(once);
  assert.equal(rig.gateway.demand().get(revision)?.arrivals, 1);
  rig.gateway.setEndpoints(revision, []);
  assert.equal(rig.gateway.demandOf(revision).arrivals, 1);
  rig.gateway.removeRoute('default', 'hello');
  assert.equal(rig.gateway.demand().size, 0);
});

test('an Instance that let a call run out of time and answered nobody is told as stuck', async (t) => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const rig = await startRig(t, {
    clock,
    route: { timeoutMs: 3000 },
    onUnresponsive: (id, endpoint) => told.push(`${id} ${endpoint}`),
  });
  let begun = 0;
  const instance = await rig.instance((incoming, answer) => {
    if (incoming.url === '/quick') answer.end('quick');
    else begun++;
  });
  const timeOut = async (meanwhile: () => Promise<void>): Promise<void> => {
    const client = rig.client();
    const before = begun;
    client.send(get());
    await eventually(() => begun > before);
    await clock.advance(2000);
    await meanwhile();
    await clock.advance(1900);
    await client.until((received) => /^HTTP\/1.1 504 /.test(received));
  };
  rig.gateway.setEndpoints(revision, [instance]);
  await timeOut(async () => {
    const quick = rig.client();
    quick.send('GET /default/hello/quick HTTP/1.1\r\nHost: x\r\n\r\n');
    await quick.until((received) => received.endsWith('quick'));
  });
  assert.deepEqual(told, [], 'one slow call is no reason');
  await timeOut(async () => {});
  assert.deepEqual(told, [`${revision} ${instance.id}`]);
});

test('a second wave of calls finds the connections of the first', async (t) => {
  const rig = await startRig(t);
  const waveSize = 300;
  const connections = new Set<unknown>();
  const held: (() => void)[] = [];
  const endpoint = await rig.instance((incoming, answer) => {
    connections.add(incoming.socket);
    held.push(() => answer.end('done'));
    if (held.length === waveSize) for (const end of held.splice(0)) end();
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  for (let wave = 0; wave < 2; wave++) {
    const answers = Array.from({ length: waveSize }, () => rig.exchange(once));
    for (const received of await Promise.all(answers)) assert.match(received, /^HTTP\/1.1 200 OK/);
    await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
  }
  assert.equal(connections.size, waveSize);
});
