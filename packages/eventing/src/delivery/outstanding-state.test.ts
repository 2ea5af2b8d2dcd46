import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeState, encodeState } from './outstanding-state.ts';

const tries = { attempts: 3, status: 503, firstMs: 1_767_225_600_123, dueMs: 1_767_225_700_456 };

test('what is kept of an event comes back', () => {
  for (const key of [undefined, '', 'müller']) {
    for (const one of [undefined, tries]) {
      assert.deepEqual(decodeState(encodeState({ tries: one, key })), { tries: one, key });
    }
  }
});

test('an event that was not tried takes one byte and its key', () => {
  assert.equal(encodeState({ tries: undefined, key: undefined }).length, 1);
  assert.equal(encodeState({ tries: undefined, key: 'abc' }).length, 4);
  assert.equal(encodeState({ tries, key: undefined }).length, 17);
});

test('half a state is refused', () => {
  assert.throws(() => decodeState(new Uint8Array()), /whole/);
  assert.throws(() => decodeState(encodeState({ tries, key: undefined }).subarray(0, 9)), /whole/);
});
