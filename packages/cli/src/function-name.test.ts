import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { functionNameFor } from './function-name.ts';

test('functionNameFor() keeps what may stand in a name', () => {
  const cases: [string, string][] = [
    ['hello', 'hello'],
    ['My Function!', 'my-function'],
    ['2fast', 'fast'],
    ['über_cool', 'ber-cool'],
    ['...', 'function'],
  ];
  for (const [text, name] of cases) assert.equal(functionNameFor(text), name, text);
});

test('functionNameFor() always gives a valid name', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      assert.match(functionNameFor(text), /^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$/);
    }),
  );
});
