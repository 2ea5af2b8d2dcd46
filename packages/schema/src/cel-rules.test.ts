import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema, ValidationRule } from '@fnlet/machinery';
import { compileSchema } from './compiled-schema.ts';

function texts(schema: JsonSchema, value: unknown, old?: unknown): readonly string[] {
  const errors = compileSchema(schema, { root: 'resource' }).validate(value, old);
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

function specWith(rules: readonly ValidationRule[], more: JsonSchema = {}): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    n: { type: 'integer' },
    name: { type: 'string' },
    'a-b': { type: 'string' },
    namespace: { type: 'string' },
    when: { type: 'string', format: 'date-time' },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
  };
  const spec: JsonSchema = { type: 'object', properties, 'x-kubernetes-validations': rules };
  return { type: 'object', properties: { spec: { ...spec, ...more } } };
}

describe('x-kubernetes-validations', () => {
  it('sees escaped names, times, maps and the names of metadata', () => {
    const schema: JsonSchema = {
      ...specWith([
        { rule: 'self.a__dash__b == "x" && self.__namespace__ == "y"' },
        { rule: 'self.when > timestamp("2020-01-01T00:00:00Z")' },
        { rule: 'self.map.all(k, self.map[k] > 0)' },
      ]),
      'x-kubernetes-validations': [{ rule: 'self.metadata.name == "m"' }],
    };
    const spec = { 'a-b': 'x', namespace: 'y', when: '2021-01-01T00:00:00Z', map: { a: 1 } };
    const good = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'm' }, spec };
    assert.deepEqual(texts(schema, good), []);
    const bad = { metadata: { name: 'z' }, spec: { ...spec, map: { a: 0 } } };
    assert.deepEqual(texts(schema, bad), [
      '<nil>: Invalid value: failed rule: self.metadata.name == "m"',
      'spec: Invalid value: failed rule: self.map.all(k, self.map[k] > 0)',
    ]);
  });

  it('gives message, messageExpression, reason and fieldPath their meaning', () => {
    const rule = 'self.n < 5';
    const expected: readonly (readonly [Partial<ValidationRule>, string])[] = [
      [{ message: ' too big ' }, 'spec: Invalid value: too big'],
      [{ messageExpression: '"n is " + string(self.n)' }, 'spec: Invalid value: n is 7'],
      [
        { message: 'fallback', messageExpression: 'self.name + "x"' },
        'spec: Invalid value: fallback',
      ],
      [{ message: 'm', fieldPath: '.n' }, 'spec.n: Invalid value: m'],
      [{ message: 'm', reason: 'FieldValueForbidden' }, 'spec: Forbidden: m'],
      [{ message: 'm', reason: 'FieldValueRequired' }, 'spec: Required value: m'],
      [{ message: 'm', reason: 'FieldValueDuplicate' }, 'spec: Duplicate value'],
    ];
    for (const [parts, text] of expected) {
      assert.deepEqual(texts(specWith([{ rule, ...parts }]), { spec: { n: 7 } }), [text]);
    }
  });

  it('reports a rule that cannot be run, and goes on with the next', () => {
    const schema = specWith([
      { rule: 'self.n > 1', message: 'n' },
      { rule: 'self.map["x"] == 1' },
      { rule: 'size(self.name) > 3' },
    ]);
    assert.deepEqual(texts(schema, { spec: { map: {}, name: 'ab' } }), [
      'spec: Invalid value: "object": no such key: n evaluating rule: n',
      'spec: Invalid value: "object": no such key: x evaluating rule: self.map["x"] == 1',
      'spec: Invalid value: failed rule: size(self.name) > 3',
    ]);
  });

  it('runs transition rules only where there is an old value', () => {
    const rule: ValidationRule = { rule: 'self.n >= oldSelf.n', message: 'no going back' };
    const schema = specWith([rule]);
    assert.deepEqual(texts(schema, { spec: { n: 1 } }), []);
    assert.deepEqual(texts(schema, { spec: { n: 1 } }, {}), []);
    assert.deepEqual(texts(schema, { spec: { n: 1 } }, { spec: { n: 2 } }), [
      'spec: Invalid value: no going back',
    ]);
  });

  it('gives optionalOldSelf rules an optional, at creation too', () => {
    const rule = 'oldSelf.hasValue() ? self.n == oldSelf.value().n : self.n == 0';
    const schema = specWith([{ rule, optionalOldSelf: true, message: 'm' }]);
    assert.deepEqual(texts(schema, { spec: { n: 0 } }), []);
    assert.deepEqual(texts(schema, { spec: { n: 1 } }), ['spec: Invalid value: m']);
    assert.deepEqual(texts(schema, { spec: { n: 1 } }, { spec: { n: 1 } }), []);
  });

  it('correlates the items of map lists by their keys', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            properties: { k: { type: 'string' }, v: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: 'self.v == oldSelf.v', message: 'fixed' }],
          },
        },
      },
    };
    const old = {
      items: [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
    };
    const moved = {
      items: [
        { k: 'c', v: 9 },
        { k: 'b', v: 2 },
        { k: 'a', v: 5 },
      ],
    };
    assert.deepEqual(texts(schema, moved, old), ['items[2]: Invalid value: fixed']);
  });

  it('compares set and map lists without regard to their order', () => {
    const list = (type: 'set' | 'atomic'): JsonSchema => ({
      type: 'object',
      properties: {
        l: {
          type: 'array',
          'x-kubernetes-list-type': type,
          items: { type: 'string' },
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'changed' }],
        },
      },
    });
    const [value, old] = [{ l: ['b', 'a'] }, { l: ['a', 'b'] }];
    assert.deepEqual(texts(list('set'), value, old), []);
    assert.deepEqual(texts(list('atomic'), value, old), ['l: Invalid value: changed']);
  });

  it('tolerates a broken rule over an unchanged value', () => {
    const schema = specWith([{ rule: 'self.n < 5', message: 'm' }]);
    const old = { spec: { n: 9 }, status: 1 };
    assert.deepEqual(texts(schema, { spec: { n: 9 }, status: 2 }, old), []);
    assert.deepEqual(texts(schema, { spec: { n: 8 } }, old), ['spec: Invalid value: m']);
  });

  it('refuses every value when a rule does not compile', () => {
    assert.deepEqual(texts(specWith([{ rule: 'self.zz' }]), { spec: {} }), [
      'spec: Invalid value: "object": rule compile error: compilation failed: ' +
        "ERROR: <input>:1:5: undefined field 'zz'\n | self.zz\n | ....^",
    ]);
  });

  it('stops a rule that needs too long, and those after it', () => {
    const numbers = `[${Array.from({ length: 50 }, (_, i) => i).join(', ')}]`;
    const rule = `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, ${numbers}.all(d, a + b + c + d >= 0))))`;
    const schema = specWith([
      { rule, message: 'slow' },
      { rule: 'false', message: 'next' },
    ]);
    assert.deepEqual(texts(schema, { spec: {} }), [
      'spec: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further ' +
        'validation rules will be run due to call cost exceeds limit for rule: slow',
    ]);
  });
});
