import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeapLoad } from './heap-load.ts';

/** What V8 is told from the end of a quiet start on. */
function open(): { told: string[]; load: HeapLoad } {
  const { told, load } = openStarting();
  load.begin();
  assert.deepEqual(told.splice(0), ['small', 'hold']);
  return { told, load };
}

function openStarting(): { told: string[]; load: HeapLoad } {
  const told: string[] = [];
  const switches = {
    preferThroughput: () => void told.push('throughput'),
    preferSmallHeap: () => void told.push('small'),
    growYoung: () => void told.push('grow'),
    holdYoung: () => void told.push('hold'),
  };
  return { told, load: new HeapLoad(switches, new Set(['triggers', 'calls'])) };
}

test('throughput is preferred from the first part that is busy to the last', () => {
  const { told, load } = open();
  load.tell('gateway', false);
  assert.deepEqual(told, []);
  load.tell('gateway', true);
  load.tell('gateway', true);
  load.tell('operators', true);
  load.tell('gateway', false);
  assert.deepEqual(told, ['throughput']);
  load.tell('operators', false);
  load.tell('operators', false);
  assert.deepEqual(told, ['throughput', 'small']);
});

test('the young generation may grow while a part is busy in which many wait', () => {
  const { told, load } = open();
  load.tell('gateway', true);
  load.tell('triggers', true);
  load.tell('calls', true);
  load.tell('triggers', false);
  assert.deepEqual(told, ['throughput', 'grow']);
  load.tell('calls', false);
  assert.deepEqual(told, ['throughput', 'grow', 'hold']);
  load.tell('triggers', true);
  load.tell('gateway', false);
  load.tell('triggers', false);
  assert.deepEqual(told, ['throughput', 'grow', 'hold', 'grow', 'small', 'hold']);
});

test('nothing is said while it starts, and then how it is', () => {
  const { told, load } = openStarting();
  load.tell('gateway', true);
  load.tell('triggers', true);
  load.tell('triggers', false);
  assert.deepEqual(told, []);
  load.begin();
  assert.deepEqual(told, ['hold']);
  load.tell('gateway', false);
  assert.deepEqual(told, ['hold', 'small']);
});
