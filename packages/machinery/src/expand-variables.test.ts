import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandVariables } from './expand-variables.ts';

test('expandVariables() replaces what is known, and nothing twice', () => {
  const values = new Map([
    ['A', '$(B)'],
    ['B', 'b'],
  ]);
  const lookup = (name: string): string | undefined => values.get(name);
  assert.equal(
    expandVariables('$(A) $(B) $(C) $$ $$(B) $B $(', lookup),
    '$(B) b $(C) $ $(B) $B $(',
  );
});
