import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toKubeMicroTime, toKubeTime } from './time.ts';

test('times are UTC with whole seconds, or with six digits', () => {
  const instant = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  assert.equal(toKubeTime(instant), '2026-01-02T03:04:05Z');
  assert.equal(toKubeMicroTime(instant), '2026-01-02T03:04:05.678000Z');
});
