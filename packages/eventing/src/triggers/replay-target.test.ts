import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { parseReplayTarget } from './replay-target.ts';

test('parseReplayTarget() reads names with their kind, and URLs', () => {
  assert.deepEqual(parseReplayTarget(undefined), { kind: 'original' });
  assert.deepEqual(parseReplayTarget('mended'), { kind: 'function', name: 'mended' });
  assert.deepEqual(parseReplayTarget('function/mended'), { kind: 'function', name: 'mended' });
  assert.deepEqual(parseReplayTarget('trigger/orders'), { kind: 'trigger', name: 'orders' });
  assert.deepEqual(parseReplayTarget('broker/shop'), { kind: 'broker', name: 'shop' });
  const url = 'https://example.com/in?a=1';
  assert.deepEqual(parseReplayTarget(url), { kind: 'url', url });
});

test('parseReplayTarget() refuses what is neither', () => {
  for (const text of ['', 'pod/a', 'trigger/', 'A', 'ftp://a', 'http://me@host/', 'a b']) {
    assert.throws(
      () => parseReplayTarget(text),
      (error) => hasCode(error, 'InvalidTarget'),
      text,
    );
  }
});
