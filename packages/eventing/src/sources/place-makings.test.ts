import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatMakings,
  isRemade,
  makingMark,
  type PlaceMakings,
  parseMakings,
  seeMaking,
} from './place-makings.ts';

test('makingMark() is empty for the first making, and tells apart all later ones', () => {
  const none: PlaceMakings = {};
  const first = seeMaking(none, 'orders', 'a');
  const second = seeMaking(first, 'orders', 'b');
  assert.deepEqual(
    [none, first, seeMaking(first, 'orders', 'a'), second, seeMaking(second, 'orders', 'c')].map(
      (makings) => makingMark(makings, 'orders'),
    ),
    ['', '', '', '@b', '@c'],
  );
  assert.deepEqual(
    [none, first, second].map((makings) => isRemade(makings, 'orders', 'b')),
    [false, true, false],
  );
});

test('parseMakings() reads what formatMakings() wrote, and forgets what is none', () => {
  const makings = seeMaking(seeMaking({}, 'orders', 'a'), 'orders', 'b');
  assert.deepEqual(parseMakings(formatMakings(makings)), makings);
  assert.deepEqual(parseMakings({ orders: { first: 'a' }, bills: 3 }), {});
  assert.deepEqual(parseMakings(undefined), {});
});
