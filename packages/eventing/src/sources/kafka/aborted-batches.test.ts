import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAbortedBatches, type RecordBatch } from './aborted-batches.ts';

const data = 1 << 4;
const control = data | (1 << 5);

function batch(firstOffset: bigint, producerId: bigint, attributes: number = data): RecordBatch {
  return { firstOffset, lastOffsetDelta: 1, attributes, producerId, records: [] };
}

function end(firstOffset: bigint, producerId: bigint, type: 'abort' | 'commit'): RecordBatch {
  const key = Buffer.from([0, 0, 0, type === 'abort' ? 0 : 1]);
  const whole = batch(firstOffset, producerId, control);
  return { ...whole, lastOffsetDelta: 0, records: [{ key }] };
}

test('of one producer, each transaction that was aborted is found, and no other', () => {
  const batches = [
    ...[batch(0n, 1n), end(2n, 1n, 'abort')],
    ...[batch(3n, 1n), end(5n, 1n, 'commit')],
    ...[batch(6n, 1n), batch(8n, 2n), end(10n, 1n, 'abort'), end(11n, 2n, 'commit')],
  ];
  const aborted = [
    { producerId: 1n, firstOffset: 6n },
    { producerId: 1n, firstOffset: 0n },
  ];
  const found = findAbortedBatches(batches, aborted);
  assert.deepEqual(
    found.map(({ firstOffset }) => firstOffset),
    [0n, 6n],
  );
});

test('a transaction whose end is not read yet, or whose beginning was read before, is found', () => {
  const aborted = [{ producerId: 1n, firstOffset: 0n }];
  const [first, second] = [batch(0n, 1n), batch(2n, 1n)];
  assert.deepEqual(findAbortedBatches([first], aborted), [first]);
  const rest = [second, end(4n, 1n, 'abort'), batch(5n, 1n)];
  assert.deepEqual(findAbortedBatches(rest, aborted), [second]);
});

test('what is written outside of transactions is never one', () => {
  const plain = batch(0n, 1n, 0);
  assert.deepEqual(findAbortedBatches([plain], [{ producerId: 1n, firstOffset: 0n }]), []);
});
