import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { Outbox } from './outbox.ts';
import { SocketWire } from './socket-wire.ts';
import type { WireUser } from './wire.ts';

interface Rig {
  readonly socket: Duplex;
  readonly wire: SocketWire;
  /** What the user of the wire was told. */
  readonly told: readonly string[];
  /** What reached the socket. */
  readonly chunks: readonly string[];
  readonly endTurn: () => void;
}

/** `stuck`: the socket never finishes a write. */
function start({ stuck }: { readonly stuck: boolean } = { stuck: false }): Rig {
  const chunks: string[] = [];
  const socket = new Duplex({
    read() {},
    decodeStrings: false,
    highWaterMark: 1,
    write(chunk: unknown, _encoding, done) {
      chunks.push(String(chunk));
      if (!stuck) done();
    },
  });
  const deferred: (() => void)[] = [];
  const outbox = new Outbox((callback) => deferred.push(callback));
  const endTurn = (): void => {
    for (const callback of deferred.splice(0)) callback();
  };
  const told: string[] = [];
  const user: WireUser = {
    onData: () => {},
    onDrain: () => told.push('drain'),
    onEnd: () => told.push('end'),
    onClosed: () => told.push('closed'),
  };
  return {
    socket,
    wire: new SocketWire(socket, user, { outbox, cut: () => socket.destroy() }),
    told,
    chunks,
    endTurn,
  };
}

test('texts of one turn are one write at its end', () => {
  const { wire, chunks, endTurn } = start();
  assert.ok(wire.write('a') && wire.write('b'));
  assert.deepEqual(chunks, []);
  endTurn();
  wire.write('c');
  endTurn();
  endTurn();
  assert.deepEqual(chunks, ['ab', 'c']);
});

test('bytes and long texts go out at once, after what waited', () => {
  const { wire, chunks, endTurn } = start();
  wire.write('a');
  wire.write(Buffer.from('b'));
  wire.write('c');
  wire.write('d'.repeat(16 * 1024));
  wire.write('e');
  assert.deepEqual(
    chunks.map(({ length }) => length),
    [1, 1, 1, 16 * 1024],
  );
  endTurn();
  assert.equal(chunks.join('').replace(/d+/, 'd'), 'abcde');
});

test('a socket that is behind is told so, and nothing more waits for it', () => {
  const { socket, wire, endTurn } = start({ stuck: true });
  assert.equal(wire.write('a'), true);
  endTurn();
  assert.equal(wire.write('b'), false);
  assert.ok(wire.pending);
  assert.equal(socket.writableLength, 2);
});

test('what waits is written before the end, and not to a socket that is gone', () => {
  const ended = start();
  ended.wire.write('bye');
  ended.wire.end();
  assert.deepEqual([ended.chunks, ended.socket.writableEnded], [['bye'], true]);
  const gone = start();
  gone.wire.write('lost');
  gone.socket.destroy();
  gone.endTurn();
  assert.deepEqual(gone.chunks, []);
});

test('the user of a wire hears of the end once, and of no error but by the end', async () => {
  const { socket, wire, told } = start();
  socket.resume();
  wire.write(Buffer.from('a'));
  socket.push(null);
  await once(socket, 'end');
  socket.destroy(new Error('reset'));
  await new Promise((resolve) => socket.once('close', resolve));
  assert.deepEqual([told, wire.destroyed, wire.pending], [['end', 'closed'], true, false]);
});
