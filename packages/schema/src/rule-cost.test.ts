import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema, ValidationRule } from '@fnlet/machinery';
import { checkStructural } from './structural.ts';

const remedy =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

function refusals(properties: Record<string, JsonSchema>, isKnown = false): readonly string[] {
  const schema: JsonSchema = { type: 'object', properties };
  return checkStructural(schema, { isKnown }).map(({ field, message }) => `${field}: ${message}`);
}

const ruled = (rule: string | ValidationRule, rest: JsonSchema): JsonSchema => ({
  ...rest,
  'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule],
});
const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };
const rulePath = 'x-kubernetes-validations[0].rule';

describe('the estimated cost of rules', () => {
  it('refuses a rule over unbounded lists in lists, and takes it once they have bounds', () => {
    const rule = 'self.all(x, self.exists(y, x == y))';
    assert.deepEqual(refusals({ a: ruled(rule, texts) }), [
      `properties[a].${rulePath}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${remedy}`,
      `properties[a].${rulePath}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `<nil>: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${remedy}`,
    ]);
    const bounded = { type: 'array' as const, maxItems: 50, items: { ...text, maxLength: 50 } };
    assert.deepEqual(refusals({ a: ruled(rule, bounded) }), []);
  });

  it('says by how much', () => {
    const list: JsonSchema = { type: 'array', items: { ...text, maxLength: 1 } };
    const dear = ruled('self.all(x, x == x && x == x && x == x)', { ...list, maxItems: 1_000_000 });
    assert.match(refusals({ a: dear })[0] ?? '', /exceeds budget by factor of 1\.200000x /);
    const dearer = ruled('self.all(x, x == x && x == x && x == x)', {
      ...list,
      maxItems: 2_000_000,
    });
    assert.match(refusals({ a: dearer })[0] ?? '', /exceeds budget by factor of 2\.4x /);
  });

  it('counts a rule as often as it can run', () => {
    const rule = "self.contains('abcdefghijk')";
    const often = (most: number): JsonSchema => ({
      type: 'array',
      maxItems: most,
      items: ruled(rule, { ...text, maxLength: 100 }),
    });
    assert.deepEqual(refusals({ a: often(1000) }), []);
    assert.match(refusals({ a: often(1_000_000) })[0] ?? '', /estimated rule cost exceeds budget/);
    // A list without a bound has as many items as there are smallest ones in a request.
    const unbounded = { type: 'array' as const, items: ruled(rule, { ...text, maxLength: 100 }) };
    assert.match(refusals({ a: unbounded })[0] ?? '', /by factor of 8\.5x/);
  });

  it('looks at what makes the message too', () => {
    const rule = {
      rule: 'true',
      messageExpression: "self.map(x, x + x).join('').replace('', 'a')",
    };
    const [refusal = ''] = refusals({ a: ruled(rule, texts) });
    assert.match(refusal, /messageExpression: Forbidden: estimated messageExpression cost exceeds/);
  });

  it('refuses many rules that are cheap enough one by one, and names the dearest', () => {
    const list: JsonSchema = { type: 'array', maxItems: 1_000_000, items: { type: 'integer' } };
    const entries = Array.from({ length: 40 }, (_, i) => [
      `a${i}`,
      ruled('self.all(x, true)', list),
    ]);
    const errors = refusals(Object.fromEntries(entries));
    const share = 'contributed to estimated rule cost total exceeding cost limit';
    assert.equal(errors.filter((error) => error.includes(share)).length, 4);
    assert.equal(errors.length, 5);
    assert.match(errors.at(-1) ?? '', /^<nil>: Forbidden: .* total .* by factor of 1\.200001x/);
  });

  it('lets single rules of a known schema stand', () => {
    const list: JsonSchema = { type: 'array', maxItems: 4_000_000, items: { type: 'integer' } };
    const dear = { a: ruled('self.all(x, true)', list) };
    assert.match(refusals(dear)[0] ?? '', /exceeds budget/);
    assert.deepEqual(refusals(dear, true), []);
  });
});
