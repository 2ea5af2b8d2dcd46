import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { Outbox } from './outbox.ts';
import { SocketWriter } from './socket-writer.ts';

interface Rig {
  readonly socket: Writable;
  readonly writer: SocketWriter;
  /** What reached the socket. */
  readonly chunks: readonly string[];
  readonly endTurn: () => void;
}

/** `stuck`: the socket never finishes a write. */
function start({ stuck }: { readonly stuck: boolean } = { stuck: false }): Rig {
  const chunks: string[] = [];
  const socket = new Writable({
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
  return { socket, writer: new SocketWriter(socket, outbox), chunks, endTurn };
}

test('texts of one turn are one write at its end', () => {
  const { writer, chunks, endTurn } = start();
  assert.ok(writer.write('a') && writer.write('b'));
  assert.deepEqual(chunks, []);
  endTurn();
  writer.write('c');
  endTurn();
  endTurn();
  assert.deepEqual(chunks, ['ab', 'c']);
});

test('bytes and long texts go out at once, after what waited', () => {
  const { writer, chunks, endTurn } = start();
  writer.write('a');
  writer.write(Buffer.from('b'));
  writer.write('c');
  writer.write('d'.repeat(16 * 1024));
  writer.write('e');
  assert.deepEqual(
    chunks.map(({ length }) => length),
    [1, 1, 1, 16 * 1024],
  );
  endTurn();
  assert.equal(chunks.join('').replace(/d+/, 'd'), 'abcde');
});

test('a socket that is behind is told so, and nothing more waits for it', () => {
  const { socket, writer, endTurn } = start({ stuck: true });
  assert.equal(writer.write('a'), true);
  endTurn();
  assert.equal(writer.write('b'), false);
  assert.equal(socket.writableLength, 2);
});

test('what waits is written before the end, and not to a socket that is gone', () => {
  const ended = start();
  ended.writer.write('bye');
  ended.writer.end();
  assert.deepEqual([ended.chunks, ended.socket.writableEnded], [['bye'], true]);
  const gone = start();
  gone.writer.write('lost');
  gone.socket.destroy();
  gone.endTurn();
  assert.deepEqual(gone.chunks, []);
});
