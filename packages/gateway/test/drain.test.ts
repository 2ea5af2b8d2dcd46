/** What becomes of answers that go on when their Instance, or the Gateway, has to go. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { eventually, type RawClient, type Rig, revision, startRig } from './rig.ts';

const ask = (fields = '', version = '1.1'): string =>
  `GET /default/hello/ HTTP/${version}\r\nHost: x\r\n${fields}\r\n`;
const upgrade = (protocol: string): string =>
  ask(`Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`);

const head =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n';
const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ';
const going = '\x88\x02\x03\xe9';

interface Streaming {
  readonly rig: Rig;
  readonly clock: VirtualClock;
  readonly client: RawClient;
  /** What the Instance was sent. */
  received(): string;
  readonly socket: Socket;
  /** Takes the Instance away; it may drain for ten seconds. */
  remove(): { readonly isDrained: () => boolean };
}

/** A call whose Instance says `first` to it. */
async function startStreaming(t: TestContext, request: string, first: string): Promise<Streaming> {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock });
  const sockets: Socket[] = [];
  let received = '';
  const endpoint = await rig.rawInstance((socket) => {
    sockets.push(socket);
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (received === '') socket.write(first, 'latin1');
      received += text;
    });
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  client.send(request);
  const end = first.slice(first.lastIndexOf('\r\n\r\n') + 4);
  await client.until((text) => text.includes('\r\n\r\n') && text.endsWith(end));
  const [socket] = sockets;
  assert.ok(socket);
  const remove = (): { readonly isDrained: () => boolean } => {
    let drained = false;
    void rig.gateway.drained(revision, endpoint.id, 10_000).then(() => {
      drained = true;
    });
    rig.gateway.setEndpoints(revision, []);
    return { isDrained: () => drained };
  };
  return { rig, clock, client, socket, received: () => received, remove };
}

test('server-sent events end whole shortly before the time to drain is over', async (t) => {
  const { clock, client, remove, rig } = await startStreaming(
    t,
    ask(),
    `${head}9\r\ndata: 1\n\n\r\n`,
  );
  const { isDrained } = remove();
  await clock.advance(7900);
  assert.match(client.received, /data: 1\n\n\r\n$/);
  await clock.advance(200);
  await client.until((text) => text.endsWith('\n\n\r\n0\r\n\r\n'));
  await eventually(isDrained);
  // The connection goes on with its next call.
  rig.gateway.setEndpoints(revision, [
    await rig.instance((_incoming, answer) => answer.end('next')),
  ]);
  client.send(ask());
  await client.until((text) => text.endsWith('next'));
});

test('server-sent events whose chunk is not whole wait for the rest of it', async (t) => {
  const { clock, client, socket, remove } = await startStreaming(t, ask(), `${head}9\r\ndata`);
  remove();
  await clock.advance(8100);
  assert.match(client.received, /9\r\ndata$/);
  socket.write(': 1\n\n\r\n');
  assert.match(
    await client.until((text) => text.endsWith('0\r\n\r\n')),
    /data: 1\n\n\r\n0\r\n\r\n$/,
  );
});

test('server-sent events that stay broken are cut', async (t) => {
  const { clock, client, remove } = await startStreaming(t, ask(), `${head}9\r\ndata`);
  const { isDrained } = remove();
  await clock.advance(8100);
  await clock.advance(2100);
  assert.match(await client.untilEnd(), /9\r\ndata$/);
  await eventually(isDrained);
});

test('HTTP/1.0 learns the end of events by the end of the connection', async (t) => {
  const first = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n';
  const { clock, client, remove } = await startStreaming(t, ask('', '1.0'), first);
  remove();
  await clock.advance(8100);
  assert.match(await client.untilEnd(), /Connection: close\r\n\r\ndata: 1\n$/);
});

test('another answer that streams is not ended as if it was whole', async (t) => {
  const other = head.replace('text/event-stream', 'application/x-ndjson');
  const { clock, client, socket, remove } = await startStreaming(t, ask(), `${other}2\r\n1\n\r\n`);
  const { isDrained } = remove();
  await clock.advance(9900);
  socket.write('2\r\n2\n\r\n0\r\n\r\n');
  await client.until((text) => text.endsWith('2\n\r\n0\r\n\r\n'));
  await eventually(isDrained);
});

test('a WebSocket is closed with 1001, and its two ends say goodbye', async (t) => {
  const first = `${switched}websocket\r\n\r\n\x81\x02hi`;
  const { clock, client, socket, received, remove } = await startStreaming(
    t,
    upgrade('websocket'),
    first,
  );
  const { isDrained } = remove();
  await clock.advance(8100);
  await client.until((text) => text.endsWith(`hi${going}`));
  // What the Instance says now would come after the Close frame.
  socket.write('\x81\x04late', 'latin1');
  client.send('\x88\x82\x00\x00\x00\x00\x03\xe9');
  await eventually(() => received().endsWith('\x00\x00\x00\x00\x03\xe9'));
  socket.end('\x88\x02\x03\xe9');
  assert.ok((await client.untilEnd()).endsWith(`hi${going}`));
  await eventually(isDrained);
});

test('a WebSocket in the middle of a frame is closed after it', async (t) => {
  const first = `${switched}websocket\r\n\r\n\x81\x04fr`;
  const { clock, client, socket, remove } = await startStreaming(t, upgrade('websocket'), first);
  remove();
  await clock.advance(8100);
  assert.ok(client.received.endsWith('fr'));
  socket.write('am\x81\x04more', 'latin1');
  assert.ok((await client.until((text) => text.includes(going))).endsWith(`fram${going}`));
});

test('a WebSocket that was closing already is not closed twice', async (t) => {
  const first = `${switched}websocket\r\n\r\n\x88\x02\x03\xe8`;
  const { clock, client, remove } = await startStreaming(t, upgrade('websocket'), first);
  remove();
  await clock.advance(8100);
  await clock.advance(2100);
  assert.ok((await client.untilEnd()).endsWith('\r\n\r\n\x88\x02\x03\xe8'));
});

test('a WebSocket whose ends do not answer is ended', async (t) => {
  const first = `${switched}websocket\r\n\r\n\x81\x02hi`;
  const { clock, client, remove } = await startStreaming(t, upgrade('websocket'), first);
  const { isDrained } = remove();
  await clock.advance(8100);
  await clock.advance(2100);
  assert.ok((await client.untilEnd()).endsWith(going));
  await eventually(isDrained);
});

test('of another protocol the connection is ended', async (t) => {
  const first = `${switched}echo\r\n\r\nhello`;
  const { clock, client, remove } = await startStreaming(t, upgrade('echo'), first);
  const { isDrained } = remove();
  await clock.advance(8100);
  assert.match(await client.untilEnd(), /hello$/);
  await eventually(isDrained);
});

test('events that begin when the time is over already end at once', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock, route: { timeoutMs: 60_000 } });
  const answers: ServerResponse[] = [];
  const endpoint = await rig.instance((_incoming, answer) => answers.push(answer));
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  client.send(ask());
  await eventually(() => answers.length === 1);
  void rig.gateway.drained(revision, endpoint.id, 10_000);
  rig.gateway.setEndpoints(revision, []);
  await clock.advance(9000);
  answers[0]?.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  answers[0]?.write('data: 1\n\n');
  await client.until((text) => text.endsWith('0\r\n\r\n'));
});

test('a Gateway that closes ends what would go on, and waits for what ends by itself', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock });
  const answers: ServerResponse[] = [];
  const endpoint = await rig.instance((incoming, answer) => {
    if (incoming.url === '/events') {
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
      answer.write('data: 1\n\n');
    } else answers.push(answer);
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const events = rig.client();
  events.send(ask().replace('hello/', 'hello/events'));
  await events.until((text) => text.includes('data: 1'));
  const call = rig.client();
  call.send(ask());
  await eventually(() => answers.length === 1);
  const closed = rig.gateway.close({ graceMs: 10_000 });
  assert.match(await events.untilEnd(), /data: 1\n\n\r\n0\r\n\r\n$/);
  answers[0]?.end('whole');
  assert.match(await call.untilEnd(), /whole$/);
  await closed;
});
