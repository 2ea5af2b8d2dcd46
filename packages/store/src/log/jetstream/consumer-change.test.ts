import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConsumerChange, decodeChange, encodeChange } from './consumer-change.ts';

const changes: readonly ConsumerChange[] = [
  { part: undefined, cursor: 0, outstanding: new Map(), settled: new Set() },
  { part: undefined, cursor: undefined, outstanding: new Map(), settled: new Set([1, 2 ** 47]) },
  {
    part: { index: 2, count: 3 },
    cursor: 2 ** 47,
    outstanding: new Map([
      [5, Buffer.from('state')],
      [6, Buffer.alloc(0)],
    ]),
    settled: new Set([9]),
  },
];

describe('encodeChange()', () => {
  it('keeps everything of a change', () => {
    for (const change of changes) assert.deepEqual(decodeChange(encodeChange(change)), change);
  });

  it('is refused wherever it is cut off', () => {
    for (const change of changes) {
      const whole = encodeChange(change);
      for (let length = 0; length < whole.length; length++) {
        assert.throws(() => decodeChange(whole.subarray(0, length)), { code: 'Broken' });
      }
    }
  });
});
