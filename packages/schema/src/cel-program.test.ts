import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasCode } from '@fnlet/base';
import fc from 'fast-check';
import { compileCel } from './cel-program.ts';

const self = {
  a: 1,
  d: 1.5,
  s: 'héllo😀x',
  l: [1, 2, 3],
  m: { x: 1, 'y-z': 2 },
  nul: null,
  items: [{ k: 'a' }, { k: 'b' }],
};

function run(expression: string): unknown {
  return compileCel(expression, { self: 'dyn' }).evaluate({ self });
}

const values: readonly (readonly [string, unknown])[] = [
  ['1 + 2 * 3 - 4 / 2', 5],
  ['-5 % 3', -2],
  ['-9223372036854775808 < 0', true],
  ['0x1F == 31 && 1e3 == 1000.0', true],
  ['self.a == 1.0 && self.a == 1u && self.a < 1.5', true],
  ['1 < 2u && 2u < 2.5', true],
  ['"a" + \'b\' + """c""" + r\'\\d\' + "\\x41\\u00e9"', 'abc\\dAé'],
  ['self.s.size()', 7],
  ['self.s.indexOf("x")', 6],
  ['self.s.substring(1, 3) + self.s.charAt(5)', 'él😀'],
  ['"a,b,c".split(",", 2)', ['a', 'b,c']],
  ['"abab".replace("b", "x", 1) + "ab".replace("", "-")', 'axab-a-b-'],
  ['" A ".trim().lowerAscii() + "b".upperAscii() + "xy".reverse()', 'aByx'],
  ['["a", "b"].join("-") + [].join()', 'a-b'],
  ['"%s is %d, %.2f, %x, %b%%".format(["x", 7, 1.5, 255, 5])', 'x is 7, 1.50, ff, 101%'],
  ['self.s.matches("^h.*x$") && "ab".matches("(?i)B$")', true],
  ['"a1b22".findAll("[0-9]+") + ["a1".find("[0-9]")]', ['1', '22', '1']],
  ['has(self.a) && !has(self.zz) && has(self.nul) && self.nul == null', true],
  ['"x" in self.m && 2 in self.l && !("q" in self.m)', true],
  ['self.m["y-z"] + self.l[0]', 3],
  ['self.l.all(x, x > 0) && self.l.exists(x, x == 2) && self.l.exists_one(x, x == 2)', true],
  ['self.m.exists(k, self.m[k] == 2)', true],
  ['self.l.filter(x, x > 1).map(x, x * 2)', [4, 6]],
  ['self.l.map(x, x != 2, x + 1)', [2, 4]],
  ['self.l.all(i, x, i < x)', true],
  ['self.items.map(i, i.k)', ['a', 'b']],
  ['[self.l.sum(), self.l.min(), self.l.max(), self.l.indexOf(3)]', [6, 1, 3, 2]],
  ['[1, 3, 2].isSorted() || ["a", "b"].isSorted()', true],
  ['sets.contains([1, 2], [1]) && sets.intersects([1], [1, 2])', true],
  ['self.?zz.orValue("none") + self.items[?5].?k.orValue("-")', 'none-'],
  ['self.?m.?x.hasValue() && !optional.none().hasValue()', true],
  ['optional.of(2).optMap(v, v * 2).orValue(0)', 4],
  ['[1, ?optional.none(), ?optional.of(2)]', [1, 2]],
  ['{"a": 1, ?"b": optional.none()}', { a: 1 }],
  ['cel.bind(x, self.l.sum(), x * x)', 36],
  ['self.a > 0 ? "yes" : "no"', 'yes'],
  ['true || self.zz', true],
  ['self.zz == 1 || true', true],
  ['[0, 1].exists(i, 1 / i == 1)', true],
  ['type(self.a) == int && type("") == string', true],
  ['int("3") + int(2.9) + int(2u)', 7],
  ['string(1.0) + string(true) + string(b"x") + string(duration("90m"))', '1truex5400s'],
  ['duration("1h30m").getMinutes()', 90],
  ['timestamp("2009-02-13T23:31:30.5+01:00")', '2009-02-13T22:31:30.5Z'],
  ['timestamp("2020-01-01T00:00:00Z") + duration("24h")', '2020-01-02T00:00:00Z'],
  ['timestamp("2020-03-01T12:00:00Z").getHours("-02:30")', 9],
  ['timestamp("2020-07-01T12:00:00Z").getHours("Europe/Berlin")', 14],
  ['timestamp("2020-03-01T00:00:00Z").getDayOfYear()', 60],
  ['quantity("1Gi").isGreaterThan(quantity("1G")) && isQuantity("5m")', true],
  ['quantity("500m").add(quantity("1")).asApproximateFloat()', 1.5],
  ['url("https://u@a.b:443/p?q=1&q=2").getHost()', 'a.b:443'],
  ['url("https://a.b/p?q=1&q=2").getQuery()["q"]', ['1', '2']],
  ['isURL("https://a.b") && !isURL("a b")', true],
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3") && ip("::1").isLoopback()', true],
  ['string(cidr("10.1.2.3/8").masked()) + string(ip("2001:db8:0:0::1"))', '10.0.0.0/82001:db8::1'],
  ['ip.isCanonical("::1") && !ip.isCanonical("0:0::1")', true],
  ['semver("1.2.3").isLessThan(semver("v1.10", true))', true],
  ['format.dns1123Label().validate("x-1").hasValue()', false],
  ['[[1, 2], [3]].map(x, x.sum())', [3, 3]],
  ['self.m == {"x": 1, "y-z": 2} && self.l == [1, 2, 3] && self.l != [3, 2, 1]', true],
];

const failures: readonly (readonly [string, string])[] = [
  ['1 / 0', 'division by zero'],
  ['9223372036854775807 + 1', 'integer overflow'],
  ['self.zz', 'no such key: zz'],
  ['self.l[5]', 'index out of bounds: 5'],
  ['self.d + self.a', 'no such overload: _+_(double, int)'],
  ['!self.a', 'no such overload: !_(int)'],
  ['int("x")', 'cannot parse "x" as an integer'],
  ['[].min() == 1', 'min called on empty list'],
  ['optional.none().value()', 'optional.none() dereference'],
];

const wrong: readonly (readonly [string, string])[] = [
  ['1 == 1.0', "1:3: found no matching overload for '_==_' applied to '(int, double)'"],
  ['"a".size(1)', "1:9: found no matching overload for 'size' applied to 'string.(int)'"],
  ['foo(1)', "1:4: undeclared reference to 'foo' (in container '')"],
  ['other', "1:1: undeclared reference to 'other' (in container '')"],
  ['[1, "a"]', "1:5: expected type 'int' but found 'string'"],
  ['1 +', "1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '"],
  ['a.', "1:3: Syntax error: no viable alternative at input '.'"],
  ['as', '1:1: Syntax error: reserved identifier: as'],
  ['"abc', '1:1: Syntax error: unterminated string'],
  ['true\n && #', '2:5: Syntax error: token recognition error at: "#"'],
  ['"a".matches("[")', '1:13: invalid matches argument'],
  ['duration("x")', '1:10: invalid duration argument'],
  ['has(self)', '1:1: invalid argument to has() macro'],
  ['self.all(1, true)', '1:10: argument must be a simple name'],
];

describe('compileCel()', () => {
  for (const [expression, value] of values) {
    it(`evaluates ${expression}`, () => assert.deepEqual(run(expression), value));
  }

  for (const [expression, message] of failures) {
    it(`fails to evaluate ${expression}`, () => {
      assert.throws(() => run(expression), { code: 'CelEvaluationFailed', message });
    });
  }

  for (const [expression, message] of wrong) {
    it(`refuses ${JSON.stringify(expression)}`, () => {
      assert.throws(
        () => run(expression),
        (error) =>
          hasCode(error, 'CelCompilationFailed') &&
          error.message.startsWith(`ERROR: <input>:${message}`),
      );
    });
  }

  it('knows the type of its result and the variables that it uses', () => {
    const program = compileCel('object.spec.n > 1', { object: 'dyn', old: 'dyn' });
    assert.equal(program.type, 'bool');
    assert.deepEqual([...program.variables], ['object']);
  });

  it('checks fields against a schema', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } } as const;
    assert.equal(compileCel('self.n', { self: { schema } }).type, 'int');
    assert.throws(() => compileCel('self.x', { self: { schema } }), /undefined field 'x'/);
    assert.throws(() => compileCel('self.n == "1"', { self: { schema } }), /no matching overload/);
  });

  it('gives optional variables without a value as an empty optional', () => {
    const program = compileCel('old.hasValue() ? old.value() : "none"', {
      old: { schema: { type: 'string' }, optional: true },
    });
    assert.equal(program.evaluate({}), 'none');
    assert.equal(program.evaluate({ old: 'x' }), 'x');
  });

  it('stops an expression that costs too much, even inside ||', () => {
    const text = 'self.all(a, self.all(b, self.all(c, a != b + c + 100))) || true';
    const program = compileCel(text, { self: 'dyn' });
    const many = Array.from({ length: 200 }, (_, i) => i);
    assert.throws(() => program.evaluate({ self: many }), { code: 'CelCostExceeded' });
    assert.throws(() => program.evaluate({ self: [1, 2] }, { costMax: 5 }), {
      code: 'CelCostExceeded',
    });
  });

  it('refuses expressions that are too long or too deep instead of failing', () => {
    for (const text of ['('.repeat(5000), '1+'.repeat(6000), `${'1+'.repeat(4000)}1`]) {
      assert.throws(() => run(text), { code: 'CelCompilationFailed' });
    }
    assert.equal(run(Array.from({ length: 900 }, () => 'true').join(' && ')), true);
  });

  it('never fails but with an error of its own', () => {
    const word = fc.constantFrom(
      ...['self', 'a', '.', '?', '[', ']', '(', ')', '{', '}', ',', ':', '1', '"x"', '+', '-'],
      ...['==', '<', 'in', '&&', '||', '!', 'has', 'all', 'map', 'size', 'x', 'null', '1.5', '2u'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        try {
          run(words.join(' '));
        } catch (error) {
          const isOwn =
            hasCode(error, 'CelCompilationFailed') || hasCode(error, 'CelEvaluationFailed');
          if (!isOwn) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
