import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../event/cloud-event.ts';
import { compileCesql } from './cesql-program.ts';

const required = { specversion: '1.0', id: '1', source: '/s', type: 't' } as const;

function evaluate(text: string, more: Readonly<Record<string, AttributeValue>> = {}): unknown[] {
  const { value, troubles } = compileCesql(text).evaluate({ ...more, ...required });
  return [value, ...troubles.map(({ code }) => code)];
}

test('operators bind as the specification says, to the left where they bind alike', () => {
  assert.deepEqual(evaluate('2 + 3 * 4 = 14'), [true]);
  assert.deepEqual(evaluate('10 - 4 - 3'), [3]);
  assert.deepEqual(evaluate('4-1'), [3]);
  assert.deepEqual(evaluate('TRUE OR TRUE AND FALSE'), [false]);
  assert.deepEqual(evaluate("NOT 'true' LIKE 'false'"), [true]);
  assert.deepEqual(evaluate('- 3 + 5'), [2]);
  assert.deepEqual(evaluate('1 + 2 IN (2, 3)'), [2]);
});

test('whole numbers have 32 bits: a result that does not fit is a MathError', () => {
  assert.deepEqual(evaluate('-2147483648'), [-2147483648]);
  assert.deepEqual(evaluate('2147483647 + 1'), [0, 'MathError']);
  assert.deepEqual(evaluate('- (-2147483648)'), [0, 'MathError']);
  assert.deepEqual(evaluate('65536 * 65536'), [0, 'MathError']);
  assert.deepEqual(evaluate('-7 / 2'), [-3]);
  assert.deepEqual(evaluate('-7 % 2'), [-1]);
  assert.ok(Object.is(evaluate('0 * -1')[0], 0));
  assert.deepEqual(evaluate("INT('2147483648')"), [0, 'CastError']);
});

test('texts hold quotes and backslashes as they are written', () => {
  assert.deepEqual(evaluate("'a\\'\\'b'"), ["a''b"]);
  assert.deepEqual(evaluate("'a''b'"), ["a'b"]);
  assert.deepEqual(evaluate("''"), ['']);
  assert.deepEqual(evaluate('"a\'b\\c"'), ["a'b\\c"]);
});

test('LIKE takes characters for what they are, and never takes long', () => {
  assert.deepEqual(evaluate("'a.c' LIKE 'a.c'"), [true]);
  assert.deepEqual(evaluate("'abc' LIKE 'a.c'"), [false]);
  assert.deepEqual(evaluate("'😀' LIKE '_'"), [true]);
  assert.deepEqual(evaluate("'ab' LIKE 'ab%ab'"), [false]);
  assert.deepEqual(evaluate("'a\nb' LIKE 'a_b'"), [true]);
  const pattern = `${'a%'.repeat(50)}b`;
  const subject = 'a'.repeat(8_000);
  assert.deepEqual(evaluate(`subject LIKE '${pattern}'`, { subject }), [false]);
});

test('characters are those of Unicode, not halves of them', () => {
  assert.deepEqual(evaluate("LENGTH('a😀')"), [2]);
  assert.deepEqual(evaluate("LEFT('😀b', 1)"), ['😀']);
  assert.deepEqual(evaluate("SUBSTRING('a😀b', 2, 1)"), ['😀']);
  assert.deepEqual(evaluate("TRIM('\u2003a\u0085')"), ['a']);
  assert.deepEqual(evaluate("SUBSTRING('abc', 1, -1)"), ['', 'FunctionEvaluationError']);
});

test('what an object has by itself is no attribute', () => {
  assert.deepEqual(evaluate('EXISTS constructor'), [false]);
  assert.deepEqual(evaluate('constructor'), [false, 'MissingAttributeError']);
});

test('an item of IN that cannot be cast is not equal, and is told', () => {
  assert.deepEqual(evaluate("0 IN ('x')"), [false, 'CastError']);
  assert.deepEqual(evaluate("1 NOT IN ('2', '1')"), [false]);
  assert.deepEqual(evaluate("'x' IN (missing, 'x')"), [false, 'MissingAttributeError']);
});

test('what is wrong whatever the event is told before there is one', () => {
  const check = (text: string): unknown[] => {
    const { type, troubles } = compileCesql(text);
    return [type, ...troubles.map(({ code }) => code)];
  };
  assert.deepEqual(check('subject'), [undefined]);
  assert.deepEqual(check("id = 'a' AND EXISTS subject"), ['Boolean']);
  assert.deepEqual(check('n + 1'), ['Integer']);
  assert.deepEqual(check("'x' + 1"), ['Integer', 'CastError']);
  assert.deepEqual(check("'x' = 1 OR NOPE(id) > ABS('y')"), [
    ...['Boolean', 'CastError', 'MissingFunctionError', 'CastError'],
  ]);
  assert.deepEqual(check("UPPER(id) LIKE 'A' XOR 1 IN (2, INT('3'))"), ['Boolean']);
});

const wrong: readonly (readonly [string, RegExp])[] = [
  ['', /found its end at character 1, expected a literal/],
  ['ABC(', /found its end at character 5, expected a literal/],
  ['1 +', /found its end at character 4/],
  ['1 2', /found "2" at character 3, expected an operator or the end/],
  ['id LIKE 5', /found "5" at character 9, expected a text in quotes/],
  ['id LIKE (id)', /found "\(id\)" at character 9, expected a text in quotes/],
  ['id NOT = 5', /found "= 5" at character 8, expected "LIKE" or "IN"/],
  ['id IN ()', /found "\)" at character 8/],
  ['(1', /found its end at character 3, expected "\)"/],
  ['EXISTS 1', /expected the name of an attribute/],
  ['my_ext = 1', /expected a name without underscores/],
  ["'open", /found "'open" at character 1/],
  ['2147483648', /expected a whole number of 32 bits/],
  ['a & b', /found "& b" at character 3/],
  ['('.repeat(101), /nested at most 100 deep/],
  [`'${'x'.repeat(4_096)}'`, /at most 4096 characters/],
];

test('a text that is no expression is refused with the place where it ends to be one', () => {
  for (const [text, message] of wrong) {
    assert.throws(() => compileCesql(text), { code: 'ParseError', message }, text);
  }
});
