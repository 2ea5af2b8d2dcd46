import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApplyMemory } from './apply-memory.ts';
import { rememberedPrimariesMax } from './limits.ts';

test('what belongs to a primary goes with it, and with the children that it no longer has', () => {
  const memory = new ApplyMemory();
  for (const child of ['a', 'b']) memory.set('u1', child, { prunedUid: child });
  memory.set('u2', 'a', { prunedUid: 'other' });
  memory.retain('u1', new Set(['b']));
  assert.equal(memory.get('u1', 'a'), undefined);
  assert.equal(memory.get('u1', 'b')?.prunedUid, 'b');
  memory.forget('u1');
  assert.equal(memory.get('u1', 'b'), undefined);
  assert.equal(memory.get('u2', 'a')?.prunedUid, 'other');
});

test('the primary that ran longest ago is forgotten beyond the bound', () => {
  const memory = new ApplyMemory();
  for (let index = 0; index < rememberedPrimariesMax; index++) {
    memory.set(`u${index}`, 'a', { prunedUid: 'x' });
  }
  assert.ok(memory.get('u0', 'a'));
  memory.set('one more', 'a', { prunedUid: 'x' });
  assert.ok(memory.get('u0', 'a'));
  assert.equal(memory.get('u1', 'a'), undefined);
});
