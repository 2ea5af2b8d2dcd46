import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardCount } from './limits.ts';
import { shardOf } from './shard-of.ts';

test('shardOf() spreads similar names evenly', () => {
  const counts = new Array<number>(shardCount).fill(0);
  for (let i = 0; i < 6400; i++) {
    const shard = shardOf({ namespace: 'sites', name: `site-${i}` });
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  assert.ok(Math.min(...counts) > 50, `${Math.min(...counts)} keys in the emptiest shard`);
  assert.ok(Math.max(...counts) < 200, `${Math.max(...counts)} keys in the fullest shard`);
});

test('shardOf() never changes: replicas of two releases must agree', () => {
  assert.equal(shardOf({ namespace: 'a', name: 'b' }), 1);
  assert.equal(shardOf({ namespace: '', name: 'b' }), 37);
});
