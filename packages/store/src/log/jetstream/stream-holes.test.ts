import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sequenceAt } from './chain-message.ts';
import { decodeHoles, encodeHoles, isHole, noHoles, type StreamHoles } from './stream-holes.ts';

const holes: StreamHoles = {
  first: sequenceAt(10, 3),
  before: { records: 40, bytes: 4_000 },
  removed: { records: 3, bytes: 300 },
  places: new Map([[12, new Set([0, 2])]]),
};

describe('isHole()', () => {
  it('tells what is before the first record, or was taken away singly', () => {
    const places = [sequenceAt(10, 2), sequenceAt(10, 3), sequenceAt(12, 0), sequenceAt(12, 1)];
    assert.deepEqual(
      places.map((sequence) => isHole(holes, sequence)),
      [true, false, true, false],
    );
  });
});

describe('encodeHoles()', () => {
  it('keeps everything', () => {
    for (const each of [holes, noHoles]) assert.deepEqual(decodeHoles(encodeHoles(each)), each);
  });

  it('is refused when it is something else', () => {
    for (const text of ['null', '{}', '{"first":1,"before":{},"removed":{},"places":[["a"]]}']) {
      assert.throws(() => decodeHoles(Buffer.from(text)), { code: 'Broken' });
    }
  });
});
