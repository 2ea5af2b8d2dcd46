import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HotValues } from './hot-values.ts';
import { KeptValue } from './kept-value.ts';
import { limits } from './limits.ts';

const ofLength = (length: number): KeptValue => new KeptValue('x'.repeat(length));

it('HotValues lets go what was used least recently', () => {
  const values = new HotValues();
  const room = limits.hotCharactersMax / limits.hotValueCharactersMax;
  for (let n = 1; n <= room; n++) values.put(n, ofLength(limits.hotValueCharactersMax));
  assert.ok(values.get(1));
  values.put(room + 1, ofLength(1));
  assert.equal(values.get(2), undefined);
  assert.ok(values.get(1));
  assert.ok(values.get(room + 1));
});

it('HotValues takes no value that would drive out many others', () => {
  const values = new HotValues();
  values.put(1, ofLength(limits.hotValueCharactersMax + 1));
  assert.equal(values.get(1), undefined);
});

it('HotValues has room again after it forgot', () => {
  const values = new HotValues();
  for (let n = 1; n <= 1_000; n++) {
    values.put(n, ofLength(limits.hotValueCharactersMax));
    assert.equal(values.forget(n), true);
    assert.equal(values.forget(n), false);
  }
  values.put(1_001, ofLength(10));
  assert.ok(values.get(1_001));
});
