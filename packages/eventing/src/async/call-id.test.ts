import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { makeCallId } from './call-id.ts';

const random = seededRandom(1);
const pattern = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test('makeCallId() makes a UUID of version 7, with the time in front', () => {
  const id = makeCallId(Date.UTC(2026, 0, 1), random);
  assert.match(id, pattern);
  assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), Date.UTC(2026, 0, 1));
});

test('a later call sorts behind, and two of one moment differ', () => {
  const ids = [1, 255, 256, 65_536, 2 ** 40].map((ms) => makeCallId(ms, random));
  assert.deepEqual(ids.toSorted(), ids);
  assert.notEqual(makeCallId(5, random), makeCallId(5, random));
});
