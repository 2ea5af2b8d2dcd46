import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { LineSink } from './line-sink.ts';

/** A stream that takes as much as the test lets it. */
class SlowStream {
  readonly written: string[] = [];
  #done: (() => void) | undefined;
  readonly stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _, done) => {
      this.written.push(chunk);
      this.#done = done;
    },
  });

  /** Ends the write in progress, and so begins the next one. */
  go(): void {
    this.#done?.();
  }
}

function sink(slow: SlowStream, waitingBytesMax: number) {
  const turns: (() => void)[] = [];
  const lines = new LineSink({
    stream: slow.stream,
    defer: (callback) => void turns.push(callback),
    gap: (count) => `gap ${count}`,
    waitingBytesMax,
  });
  const endTurn = (): void => {
    for (const turn of turns.splice(0)) turn();
  };
  return { lines, endTurn };
}

test('lines of one turn are written together, in order', () => {
  const slow = new SlowStream();
  const { lines, endTurn } = sink(slow, 100);
  lines.write('a');
  lines.write('b');
  assert.deepEqual(slow.written, []);
  endTurn();
  assert.deepEqual(slow.written, ['a\nb\n']);
  endTurn();
  assert.equal(slow.written.length, 1);
});

test('what a slow stream has no room for is dropped, counted, and told in its place', () => {
  const slow = new SlowStream();
  const { lines, endTurn } = sink(slow, 10);
  for (const line of ['aaaa', 'bbbb']) lines.write(line);
  endTurn();
  for (const line of ['c', 'd', 'e']) lines.write(line);
  endTurn();
  assert.deepEqual(slow.written, ['aaaa\nbbbb\n']);
  slow.go();
  lines.write('f');
  lines.write('g');
  endTurn();
  assert.deepEqual(slow.written, ['aaaa\nbbbb\n', 'gap 3\nf\ng\n']);
  slow.go();
  lines.write('h');
  endTurn();
  assert.equal(slow.written.at(-1), 'h\n');
});

test('a stream that is gone takes nothing, and fails nobody', () => {
  const slow = new SlowStream();
  const { lines, endTurn } = sink(slow, 100);
  lines.write('a');
  slow.stream.destroy();
  endTurn();
  lines.write('b');
  endTurn();
  assert.deepEqual(slow.written, []);
});
