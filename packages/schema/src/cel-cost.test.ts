import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema } from '@fnlet/machinery';
import { estimateCost } from './cel-cost.ts';
import { measureExtent } from './cel-extent.ts';
import { compileExpression } from './cel-program.ts';
import { bindSchema } from './cel-schema.ts';

// Costs that Kubernetes 1.36 estimates for the same rules, of values without bounds of their own
// and of bounded ones.

function cost(schema: JsonSchema, rule: string, isResource = false): number {
  const binding = bindSchema(schema, isResource);
  const extent = measureExtent(schema, isResource);
  assert.ok(binding !== undefined && extent !== undefined);
  const { type } = binding;
  const variables = new Map([
    ['self', { type }],
    ['oldSelf', { type }],
  ]);
  const { checked } = compileExpression(rule, variables, { keepsChecked: true });
  return checked === undefined ? Number.NaN : estimateCost(checked, extent);
}

type Bounded = (most: number | undefined) => JsonSchema;

const bound = (name: 'maxItems' | 'maxLength' | 'maxProperties', most: number | undefined) =>
  most === undefined ? {} : { [name]: most };
const of = (type: string): JsonSchema => {
  if (type === 'int-or-string') return { 'x-kubernetes-int-or-string': true };
  return ['duration', 'date', 'date-time', 'byte'].includes(type)
    ? { type: 'string', format: type }
    : { type: type === 'number' ? 'number' : type === 'boolean' ? 'boolean' : 'string' };
};
const text: Bounded = (most) => ({ type: 'string', ...bound('maxLength', most) });
const list =
  (items: string | JsonSchema): Bounded =>
  (most) => ({
    type: 'array',
    items: typeof items === 'string' ? of(items) : items,
    ...bound('maxItems', most),
  });
const map =
  (values: string | JsonSchema): Bounded =>
  (most) => ({
    type: 'object',
    additionalProperties: typeof values === 'string' ? of(values) : values,
    ...bound('maxProperties', most),
  });
const texts: Bounded = (most) => list(text(most))(most);
const numbers = list('number');
const pair: Bounded = (most) => ({
  type: 'object',
  properties: { str: text(most), separator: text(most) },
});
const replaced: Bounded = (most) => ({
  type: 'object',
  properties: { str: text(most), before: text(2), after: text(4) },
});
const inner: JsonSchema = {
  type: 'object',
  required: ['required'],
  properties: { required: { type: 'string' }, optional: { type: 'string' } },
};
const nested: Bounded = (most) => list(map({ ...inner })(most))(most);

/** The schema, the rule, its cost without bounds, a bound, and its cost then. */
const rows: readonly (readonly [Bounded, string, number | '> 10M', number, number])[] = [
  [numbers, 'self.all(x, true)', 4718591, 10, 32],
  [list('string'), 'self.all(x, true)', 3145727, 20, 62],
  [list('boolean'), 'self.all(x, true)', 1887437, 5, 17],
  [list(numbers(undefined)), 'self.all(x, true)', 3145727, 100, 302],
  [map('number'), 'self.all(x, true)', 1348169, 10, 32],
  [map('string'), 'self.all(x, true)', 1179647, 3, 11],
  [map('boolean'), 'self.all(x, true)', 943718, 100, 302],
  [map('string'), 'has(self.x)', 1, 550, 1],
  [text, "self.contains('test')", 314574, 10, 5],
  [text, "self.startsWith('test')", 2, 15, 2],
  [text, "self.endsWith('test')", 2, 30, 2],
  [text, 'size(self + "hello") > size("hello")', 314578, 4, 7],
  [numbers, 'self[1] == 0.0', 2, 5000, 2],
  [list('string'), 'self[1] == self[1]', 314577, 8, 314577],
  [numbers, 'self.all(x, self.all(y, true))', '> 10M', 10, 352],
  [numbers, 'self.all(x, self.all(y, self.all(z, true)))', '> 10M', 10, 3552],
  [text, 'self.matches("x")', 314574, 50, 22],
  [text, '"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7],
  [text, 'self.matches("")', 1, 100, 1],
  [map('number'), 'self["x"] == 0.0', 2, 0, 2],
  [text, 'self == "x"', 2, 0, 1],
  [numbers, 'self.all(x, x == 0.0)', 6291454, 3 * 1024 * 2048, 25165826],
  [list('int-or-string'), 'self.all(x, true)', 4718591, 10, 32],
  [list('int-or-string'), 'self[0] == 5', 3, 10, 3],
  [list('boolean'), 'self[0] == false', 2, 25, 2],
  [list(numbers(undefined)), 'self[0][0] == -1.0', 3, 51, 3],
  [list(map('number')(undefined)), 'self.all(x, x.y == 25.2)', 6291452, 12, 74],
  [list(map('number')(undefined)), 'self[0].x > 2.0', 4, 3000, 4],
  [list('duration'), 'self.all(x, true)', 2359295, 5, 17],
  [list('duration'), 'self[0].getHours() == 2', 4, 525, 4],
  [list('date'), 'self.all(x, true)', 725936, 15, 47],
  [list('date-time'), 'self.all(x, true)', 428963, 25, 77],
  [list('date-time'), 'self[2].getMinutes() == 45', 4, 99, 4],
  [map('duration'), 'self.all(x, true)', 1048577, 5, 17],
  [map('date'), 'self.all(x, true)', 524288, 10, 32],
  [map('date-time'), 'self["a"] == self["b"]', 8, 7, 8],
  [map('duration'), 'self["c"] == self["d"]', 8, 42, 8],
  [text, "self.find('[0-9]+') == ''", 629147, 10, 11],
  [texts, "self.join(' ') == 'aa bb'", 329853068905, 10, 43],
  [texts, 'self.isSorted() == true', 329854432052, 10, 52],
  [replaced, "self.str.replace(self.before, self.after) == 'does not matter'", 629154, 4, 12],
  [pair, 'self.str.split(self.separator) == []', 629160, 10, 22],
  [text, "self.lowerAscii() == 'lower!'", 314575, 10, 6],
  [map('number'), 'oldSelf.size() == self.size()', 5, 10, 5],
  [(most) => ({ ...of('int-or-string'), ...text(most) }), 'isQuantity(self)', 314574, 20, 9],
  [
    (most) => ({ ...text(most), enum: ['A', 'B', 'C', 'LongValue'] }),
    "self.contains('A')",
    2,
    1000,
    401,
  ],
  [nested, 'self.all(x, x["y"].required == "z")', 7340027, 10, 72],
];

describe('estimateCost()', () => {
  for (const [schema, rule, unbounded, most, bounded] of rows) {
    it(`${JSON.stringify(schema(most))}: ${rule}`, () => {
      const estimated = cost(schema(undefined), rule);
      if (unbounded === '> 10M') assert.ok(estimated > 10_000_000, String(estimated));
      else assert.equal(estimated, unbounded);
      assert.equal(cost(schema(most), rule), bounded);
    });
  }

  // What the macros expand to, counted by hand as cel-go counts it.
  const ten = numbers(10);
  const counted: readonly (readonly [string, number])[] = [
    ['self.exists(x, true)', 10 * 4 + 2],
    ['self.exists_one(x, true)', 10 * 2 + 3],
    ['self.filter(x, true).size() == 1', 10 * 13 + 12 + 2],
    ['self.map(x, x).size() == 1', 10 * 13 + 12 + 2],
    ['self.map(x, true, x).size() == 1', 10 * 13 + 12 + 2],
    ['cel.bind(s, self.size(), s == s)', 10 + 2 + 3],
    ['[1, 2].all(x, x == 1)', 10 + 2 * 5 + 1],
    ['{"a": 1}.all(k, k == "a")', 30 + 1 * 5 + 1],
    ['true ? self == [] : true', 1 + 10],
    ['optional.of(1).optMap(x, x).hasValue()', 1 + (1 + 1) + (10 + 1 + 1 + 1) + 1],
  ];
  for (const [rule, expected] of counted) {
    it(`counts ${rule}`, () => assert.equal(cost(ten, rule), expected));
  }

  it('knows how long names can be', () => {
    const object: JsonSchema = { type: 'object' };
    assert.equal(cost(object, "self.metadata.name.contains('x')", true), 3 + 102);
    assert.equal(cost(object, "self.metadata.generateName.contains('x')", true), 3 + 101);
  });
});
