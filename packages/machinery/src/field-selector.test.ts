import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchesFields, parseFieldSelector } from './field-selector.ts';

describe('parseFieldSelector()', () => {
  const cases: readonly [text: string, requirements: readonly [string, '=' | '!=', string][]][] = [
    ['', []],
    ['metadata.name=a', [['metadata.name', '=', 'a']]],
    ['metadata.name==a', [['metadata.name', '=', 'a']]],
    [
      'a!=b,c=d',
      [
        ['a', '!=', 'b'],
        ['c', '=', 'd'],
      ],
    ],
    ['a=', [['a', '=', '']]],
    ['a=b\\,c\\=d\\\\', [['a', '=', 'b,c=d\\']]],
  ];
  for (const [text, requirements] of cases) {
    test(`reads "${text}"`, () => {
      assert.deepEqual(
        parseFieldSelector(text).requirements,
        requirements.map(([field, operator, value]) => ({ field, operator, value })),
      );
    });
  }

  const refused: readonly [text: string, message: string][] = [
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\q', 'invalid field selector: invalid escape sequence: \\q'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ];
  for (const [text, message] of refused) {
    test(`refuses "${text}"`, () => {
      assert.throws(() => parseFieldSelector(text), { code: 'InvalidSelector', message });
    });
  }
});

test('matchesFields() compares every field, a missing one as the empty text', () => {
  const fields: Record<string, string> = { 'metadata.name': 'a', 'status.phase': 'Running' };
  const matches = (text: string): boolean =>
    matchesFields(parseFieldSelector(text), (field) => fields[field]);
  assert.equal(matches(''), true);
  assert.equal(matches('metadata.name=a,status.phase!=Failed'), true);
  assert.equal(matches('metadata.name=a,status.phase=Failed'), false);
  assert.equal(matches('spec.nodeName='), true);
  assert.equal(matches('spec.nodeName!='), false);
});
