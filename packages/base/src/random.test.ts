import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomName, seededRandom, systemRandom } from './random.ts';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('seededRandom() repeats itself for the same seed only', () => {
  const draw = (seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 5 }, () => random.next());
  };
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  assert.ok(draw(3).every((value) => value >= 0 && value < 1));
});

test('both sources make version 4 UUIDs', () => {
  for (const random of [systemRandom, seededRandom(9)]) assert.match(random.uuid(), uuidV4);
});

test('randomName() uses the alphabet of Kubernetes', () => {
  assert.match(randomName(systemRandom, 200), /^[bcdfghjklmnpqrstvwxz2456789]{200}$/);
});
