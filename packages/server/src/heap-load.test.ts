import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeapLoad } from './heap-load.ts';

test('throughput is preferred from the first part that is busy to the last', () => {
  const told: string[] = [];
  const load = new HeapLoad({
    preferThroughput: () => told.push('throughput'),
    preferSmallHeap: () => told.push('small'),
  });
  load.tell('triggers', false);
  assert.deepEqual(told, []);
  load.tell('triggers', true);
  load.tell('triggers', true);
  load.tell('operators', true);
  load.tell('triggers', false);
  assert.deepEqual(told, ['throughput']);
  load.tell('operators', false);
  load.tell('operators', false);
  assert.deepEqual(told, ['throughput', 'small']);
});
