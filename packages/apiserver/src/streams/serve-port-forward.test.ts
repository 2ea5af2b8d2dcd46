import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { settleUntil } from '../../test/settle.ts';
import { SpdyClient } from '../../test/spdy-client.ts';
import { streamCreationMs } from '../limits.ts';
import {
  serveSpdyPortForward,
  serveTunneledPortForward,
  serveWebSocketPortForward,
} from './serve-port-forward.ts';
import { channelProtocols } from './websocket-channels.ts';
import { opcodes } from './websocket-frame.ts';

/** A server in the Pod that answers what it got, in capitals, once its client has ended. */
function shout(): Duplex {
  const [near, far] = duplexPair();
  let text = '';
  far.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  far.on('end', () => far.end(text.toUpperCase()));
  return near;
}

interface Forward {
  readonly client: SpdyClient;
  readonly clock: VirtualClock;
  readonly ports: number[];
  end(): Promise<void>;
}

function startForward(connect: () => Duplex = shout): Forward {
  const [near, far] = duplexPair();
  const clock = new VirtualClock();
  const ports: number[] = [];
  const session = {
    clock,
    connect: async (port: number) => {
      ports.push(port);
      return connect();
    },
  };
  const serving = serveSpdyPortForward(near, session);
  const end = (): Promise<void> => {
    far.end();
    return serving;
  };
  return { client: new SpdyClient(far), clock, ports, end };
}

async function openPair(client: SpdyClient, requestID: string): Promise<[number, number]> {
  const headers = { port: '8080', requestID };
  const error = await client.open({ streamType: 'error', ...headers }, true);
  return [error, await client.open({ streamType: 'data', ...headers })];
}

test('each pair of streams is a connection of its own, and either side may end first', async () => {
  const forward = startForward();
  const { client } = forward;
  const pairs = [await openPair(client, '0'), await openPair(client, '1')];
  for (const [index, [, data]] of pairs.entries()) client.send(data, `request ${index}`, true);
  for (const [index, [error, data]] of pairs.entries()) {
    await settleUntil(() => client.received(data).ended, 'the answer');
    assert.equal(client.received(data).text, `REQUEST ${index}`);
    await settleUntil(() => client.received(error).ended, 'the end of the error stream');
    assert.equal(client.received(error).text, '');
  }
  assert.deepEqual(forward.ports, [8080, 8080]);
  await forward.end();
});

test('a port that nobody listens on is told on the error stream, and the next one works', async () => {
  let tries = 0;
  const forward = startForward(() => {
    tries += 1;
    if (tries === 1) throw new Error('connection refused');
    return shout();
  });
  const { client } = forward;
  const [error, data] = await openPair(client, '0');
  client.send(data, 'into the void');
  await settleUntil(() => client.received(error).ended && client.received(data).ended, 'the end');
  assert.equal(client.received(error).text, 'connection refused');
  const [, second] = await openPair(client, '1');
  client.send(second, 'again', true);
  await settleUntil(() => client.received(second).text === 'AGAIN', 'the answer');
  await forward.end();
});

test('a connection ends when its stream is reset, and the others go on', async () => {
  const targets: Duplex[] = [];
  const forward = startForward(() => {
    const target = shout();
    targets.push(target);
    return target;
  });
  const { client } = forward;
  const [, first] = await openPair(client, '0');
  const [, second] = await openPair(client, '1');
  await settleUntil(() => targets.length === 2, 'both connections');
  client.socket.write(Buffer.from(`8003000300000008000000${hex(first)}00000005`, 'hex'));
  await settleUntil(() => targets[0]?.destroyed === true, 'the end of the first');
  client.send(second, 'still here', true);
  await settleUntil(() => client.received(second).text === 'STILL HERE', 'the answer');
  await forward.end();
});

function hex(id: number): string {
  return id.toString(16).padStart(2, '0');
}

test('a stream without its other half is reset after a while', async () => {
  const forward = startForward();
  const { client, clock } = forward;
  const lone = await client.open({ streamType: 'data', port: '8080', requestID: '7' });
  await settleUntil(() => client.received(lone).replied, 'the reply');
  await clock.advance(streamCreationMs);
  await settleUntil(() => client.received(lone).reset, 'the reset');
  await forward.end();
});

test('a stream that is no half of a connection is reset at once', async () => {
  const forward = startForward();
  const { client } = forward;
  const odd = [
    { streamType: 'data', port: '0', requestID: '1' },
    { streamType: 'data', port: '8080' },
    { streamType: 'stdin', port: '8080', requestID: '2' },
  ];
  for (const headers of odd) {
    const id = await client.open(headers);
    await settleUntil(() => client.received(id).reset, 'the reset');
  }
  const first = await client.open({ streamType: 'data', port: '8080', requestID: '3' });
  const twin = await client.open({ streamType: 'data', port: '8080', requestID: '3' });
  await settleUntil(() => client.received(twin).reset, 'the reset of the twin');
  assert.equal(client.received(first).reset, false);
  assert.deepEqual(forward.ports, []);
  await forward.end();
});

test('a client that leaves takes its connections with it', async () => {
  const targets: Duplex[] = [];
  const forward = startForward(() => {
    const target = shout();
    targets.push(target);
    return target;
  });
  await openPair(forward.client, '0');
  await settleUntil(() => targets.length === 1, 'the connection');
  await forward.end();
  await settleUntil(() => targets[0]?.destroyed === true, 'the end of the connection');
});

test('pings come back, and bytes that are no SPDY end the connection', async () => {
  const forward = startForward();
  const { client } = forward;
  client.socket.write(Buffer.from('800300060000000400000005', 'hex'));
  await settleUntil(() => client.frames.some(({ type }) => type === 'ping'), 'the ping');
  client.socket.write('GET / HTTP/1.1\r\n\r\n'.replace('G', '\xff'), 'latin1');
  await settleUntil(() => client.frames.some(({ type }) => type === 'goAway'), 'the goodbye');
  await forward.end();
});

test('through a WebSocket the same bytes come in messages of any size', async () => {
  const [near, far] = duplexPair();
  const session = { clock: new VirtualClock(), connect: () => Promise.resolve(shout()) };
  const serving = serveTunneledPortForward(near, session);
  const [clientEnd, wire] = duplexPair();
  const client = new SpdyClient(clientEnd);
  wire.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += 7) {
      const piece = chunk.subarray(at, at + 7);
      far.write(Buffer.from([0x80 | opcodes.binary, 0x80 | piece.length, 0, 0, 0, 0]));
      far.write(piece);
    }
  });
  let rest = Buffer.alloc(0);
  far.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt8(1)) {
      const end = 2 + rest.readUInt8(1);
      wire.write(rest.subarray(2, end));
      rest = rest.subarray(end);
    }
  });
  const [, data] = await openPair(client, '0');
  client.send(data, 'through the tunnel', true);
  await settleUntil(() => client.received(data).ended, 'the answer');
  assert.equal(client.received(data).text, 'THROUGH THE TUNNEL');
  far.end();
  await serving;
});

test('over channels the end of the server is the end, as a client cannot tell its own', async () => {
  const [near, far] = duplexPair();
  const [target, server] = duplexPair();
  const session = { clock: new VirtualClock(), connect: () => Promise.resolve(target) };
  const protocol = channelProtocols.find(({ name }) => name === 'v4.channel.k8s.io');
  assert.ok(protocol !== undefined);
  const serving = serveWebSocketPortForward(near, session, { protocol, ports: [8080] });
  const chunks: Buffer[] = [];
  far.on('data', (chunk: Buffer) => chunks.push(chunk));
  server.end('bye');
  server.resume();
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  // Both channels begin with the port; then the data, and a close with status 1000.
  const wanted = '\x82\x03\x00\x90\x1f\x82\x03\x01\x90\x1f\x82\x04\x00bye\x88\x02\x03\xe8';
  await settleUntil(() => received() === wanted, 'the data and the close');
  far.end();
  await serving;
});
