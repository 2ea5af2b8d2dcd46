import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from './recent-map.ts';

test('what was not used for longest goes first', () => {
  const map = new RecentMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  assert.equal(map.get('a'), 1);
  map.set('c', 3);
  assert.equal(map.get('b'), undefined);
  assert.equal(map.get('a'), 1);
  assert.equal(map.size, 2);
  map.delete('a');
  assert.equal(map.get('a'), undefined);
});
