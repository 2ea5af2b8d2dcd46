import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveScale } from './scale.ts';

const scale = { min: 0, max: 100, target: 50, limit: 0, idleAfter: '1m30s' };

test('resolveScale() gives milliseconds', () => {
  assert.equal(resolveScale(scale).idleAfterMs, 90_000);
  assert.equal(resolveScale({ ...scale, idleAfter: '0s' }).idleAfterMs, 0);
});

test('resolveScale() never aims above the hard limit', () => {
  assert.equal(resolveScale({ ...scale, limit: 10 }).target, 10);
  assert.equal(resolveScale({ ...scale, limit: 80 }).target, 50);
});
