/** Connections that are opened while an Instance still loads its code. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock, VirtualClock } from '@fnlet/base';
import {
  eventually,
  type LocalEndpoint,
  type RawClient,
  type Rig,
  revision,
  startRig,
} from './rig.ts';

const post =
  'POST /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi';
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone';

interface Starting {
  readonly rig: Rig;
  /** The Instance, not ready yet. */
  readonly endpoint: LocalEndpoint;
  readonly sockets: Socket[];
  /** What it was sent, over all its connections. */
  received(): string;
}

/** An Instance that is connected to while a POST waits for it. */
async function startStarting(t: TestContext, clock: Clock = systemClock): Promise<Starting> {
  const rig = await startRig(t, { clock });
  const sockets: Socket[] = [];
  let received = '';
  const { id, socketPath } = await rig.rawInstance((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => {
      received += chunk;
      socket.write(ok);
    });
  });
  const endpoint = { id, socketPath, starting: true };
  rig.gateway.setEndpoints(revision, [endpoint]);
  await eventually(() => sockets.length === 1);
  return { rig, endpoint, sockets, received: () => received };
}

/** The call that waits, in a tuple: a promise of a promise would be awaited with it. */
async function parked(rig: Rig): Promise<readonly [Promise<string>]> {
  const answer = rig.exchange(post);
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  return [answer];
}

const asReady = ({ id, socketPath }: LocalEndpoint): LocalEndpoint => ({ id, socketPath });

test('a starting Instance is connected to, gets no call, and its first call finds it so', async (t) => {
  const { rig, endpoint, sockets, received } = await startStarting(t);
  const [answer] = await parked(rig);
  assert.equal(received(), '');
  rig.gateway.setEndpoints(revision, [asReady(endpoint)]);
  assert.match(await answer, /^HTTP\/1.1 200 [\s\S]*X-Fnlet-Cold-Start: true[\s\S]*done$/);
  assert.equal(sockets.length, 1);
});

test('an Instance that does not load: its connection is closed, and the call waits on', async (t) => {
  const { rig, endpoint, sockets, received } = await startStarting(t);
  const [answer] = await parked(rig);
  const [closed] = sockets.map((socket) => new Promise((done) => socket.once('end', done)));
  rig.gateway.setEndpoints(revision, []);
  await closed;
  assert.equal(rig.gateway.demandOf(revision).queued, 1);
  await rig.gateway.drained(revision, endpoint.id, 1000);
  const good = await rig.instance((incoming, response) => incoming.pipe(response));
  rig.gateway.setEndpoints(revision, [good]);
  assert.match(await answer, /^HTTP\/1.1 200 [\s\S]*\nhi\r\n/);
  assert.equal(received(), '');
});

test('an Instance that dies while it loads: its successor under the same name is connected to', async (t) => {
  const { rig, endpoint, sockets, received } = await startStarting(t);
  const [answer] = await parked(rig);
  for (const socket of sockets.splice(0)) socket.destroy();
  rig.gateway.setEndpoints(revision, []);
  const connected = Promise.withResolvers<void>();
  const next = await rig.instance((incoming, response) => incoming.pipe(response));
  next.server.once('connection', () => connected.resolve());
  const successor = { id: endpoint.id, socketPath: next.socketPath };
  rig.gateway.setEndpoints(revision, [{ ...successor, starting: true }]);
  await connected.promise;
  rig.gateway.setEndpoints(revision, [successor]);
  assert.match(await answer, /^HTTP\/1.1 200 [\s\S]*\nhi\r\n/);
  assert.equal(received(), '');
});

test('a connection that was lost before the Instance got ready costs no call', async (t) => {
  const { rig, endpoint, sockets } = await startStarting(t);
  const [answer] = await parked(rig);
  const [lost] = sockets.map((socket) => new Promise((done) => socket.once('close', done)));
  for (const socket of sockets) socket.destroy();
  await lost;
  rig.gateway.setEndpoints(revision, [asReady(endpoint)]);
  assert.match(await answer, /^HTTP\/1.1 200 [\s\S]*done$/);
  assert.equal(sockets.length, 2);
});

test('a connection that waited longer than a Runner lets it is not used', async (t) => {
  const clock = new VirtualClock();
  const { rig, endpoint, sockets } = await startStarting(t, clock);
  await clock.advance(10_100);
  const [answer] = await parked(rig);
  rig.gateway.setEndpoints(revision, [asReady(endpoint)]);
  assert.match(await answer, /^HTTP\/1.1 200 [\s\S]*done$/);
  assert.equal(sockets.length, 2);
});

test('an Instance that is told to end before it was ready keeps no connection', async (t) => {
  const { rig, endpoint, sockets } = await startStarting(t);
  const [closed] = sockets.map((socket) => new Promise((done) => socket.once('end', done)));
  rig.gateway.setEndpoints(revision, []);
  await Promise.all([closed, rig.gateway.drained(revision, endpoint.id, 1000)]);
});

test('a Gateway that closes keeps no connection to what starts', async (t) => {
  const { rig, sockets } = await startStarting(t);
  const [closed] = sockets.map((socket) => new Promise((done) => socket.once('end', done)));
  await rig.gateway.close({ graceMs: 0 });
  await closed;
});

const get = 'GET /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const health = 'GET /-/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** A GET that was sent ahead to a starting Instance, which answered it, and that still waits. */
async function sentAhead({ rig, received }: Starting): Promise<RawClient> {
  const client = rig.client();
  client.send(get);
  await eventually(() => received().includes('\r\n\r\n'));
  // Time enough for the answer to arrive.
  for (let i = 0; i < 3; i++) await rig.exchange(health);
  assert.equal(rig.gateway.demandOf(revision).queued, 1);
  assert.equal(client.received, '');
  return client;
}

test('a call that may be sent twice goes ahead, and is answered once its Instance is ready', async (t) => {
  const starting = await startStarting(t);
  const { rig, endpoint, sockets, received } = starting;
  const client = await sentAhead(starting);
  rig.gateway.setEndpoints(revision, [asReady(endpoint)]);
  const answer = await client.untilEnd();
  assert.match(answer, /^HTTP\/1.1 200 [\s\S]*X-Fnlet-Cold-Start: true[\s\S]*done$/);
  assert.equal(sockets.length, 1);
  assert.equal(received().match(/GET/g)?.length, 1);
});

test('a call that went ahead to an Instance that dies is answered by the next one', async (t) => {
  const starting = await startStarting(t);
  const { rig, sockets } = starting;
  const client = await sentAhead(starting);
  for (const socket of sockets) socket.destroy();
  rig.gateway.setEndpoints(revision, []);
  const next = await rig.instance((_, response) => response.end('next'));
  rig.gateway.setEndpoints(revision, [next]);
  assert.match(await client.untilEnd(), /^HTTP\/1.1 200 [\s\S]*next/);
});

test('a call that went ahead is taken back when another Instance is ready first', async (t) => {
  const starting = await startStarting(t);
  const { rig, endpoint, sockets } = starting;
  const client = await sentAhead(starting);
  const [closed] = sockets.map((socket) => new Promise((done) => socket.once('close', done)));
  for (const socket of sockets) socket.on('end', () => socket.destroy());
  const first = await rig.instance((_, response) => response.end('first'));
  rig.gateway.setEndpoints(revision, [endpoint, first]);
  assert.match(await client.untilEnd(), /^HTTP\/1.1 200 [\s\S]*first/);
  await closed;
});

test('a client that goes away takes back what went ahead', async (t) => {
  const starting = await startStarting(t);
  const { rig, sockets } = starting;
  const client = await sentAhead(starting);
  const [ended] = sockets.map((socket) => new Promise((done) => socket.once('end', done)));
  client.socket.destroy();
  await ended;
  assert.equal(rig.gateway.demandOf(revision).queued, 0);
});

test('only the call that is next goes ahead', async (t) => {
  const { rig, endpoint, sockets, received } = await startStarting(t);
  const [answer] = await parked(rig);
  const second = rig.exchange(get);
  await eventually(() => rig.gateway.demandOf(revision).queued === 2);
  for (let i = 0; i < 3; i++) await rig.exchange(health);
  assert.equal(received(), '');
  rig.gateway.setEndpoints(revision, [asReady(endpoint)]);
  for (const text of await Promise.all([answer, second])) assert.match(text, /200 [\s\S]*done$/);
  assert.equal(sockets.length, 2);
});
