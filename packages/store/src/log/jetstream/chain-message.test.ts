import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ChainMessage,
  decodeMessage,
  encodeMessage,
  encodeRow,
  placeOf,
  recordsOf,
  sequenceAt,
} from './chain-message.ts';

const message: ChainMessage = {
  timeMs: 1_790_000_000_000,
  before: { records: 2 ** 40, bytes: 2 ** 47 },
  previous: 2 ** 35,
  digests: [Buffer.alloc(16, 1), Buffer.alloc(16, 2)],
  rows: [
    encodeRow(1_790_000_000_000, { key: 'ä', payload: Buffer.from('first') }),
    encodeRow(1_790_000_000_000, { payload: new Uint8Array() }),
  ],
};

describe('encodeMessage()', () => {
  it('keeps everything of a message', () => {
    const decoded = decodeMessage(encodeMessage(message));
    assert.deepEqual(
      { ...decoded, digests: decoded.digests.length, rows: decoded.rows.length },
      { ...message, digests: 2, rows: 2 },
    );
    assert.deepEqual(
      recordsOf(7, decoded).map(({ key, payload, timeMs }) => [key, `${payload}`, timeMs]),
      [
        ['ä', 'first', message.timeMs],
        [undefined, '', message.timeMs],
      ],
    );
  });

  it('is refused wherever it is cut off', () => {
    const whole = encodeMessage(message);
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => decodeMessage(whole.subarray(0, length)), { code: 'Broken' });
    }
  });
});

describe('sequenceAt()', () => {
  it('orders records by message, then by place, and gives both back', () => {
    const sequence = sequenceAt(2 ** 35, 4_095);
    assert.ok(Number.isSafeInteger(sequence) && sequence < 2 ** 48);
    assert.ok(sequence < sequenceAt(2 ** 35 + 1, 0));
    assert.deepEqual(placeOf(sequence), { seq: 2 ** 35, index: 4_095 });
  });
});
