import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema } from '@fnlet/machinery';
import { checkStructural } from './structural.ts';

function texts(schema: JsonSchema): readonly string[] {
  return checkStructural(schema).map(({ field, message }) => `${field}: ${message}`);
}

function withSpec(spec: JsonSchema): JsonSchema {
  return { type: 'object', properties: { spec } };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object';
}

describe('checkStructural()', () => {
  const text: JsonSchema = { type: 'string' };
  const list: JsonSchema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: text } },
  };
  const cases: readonly (readonly [string, JsonSchema, string])[] = [
    ['no type at the root', {}, 'type: Required value: must not be empty at the root'],
    [
      'additionalProperties at the root',
      { type: 'object', additionalProperties: text },
      'additionalProperties: Forbidden: must not be used at the root',
    ],
    [
      'a type inside a junctor',
      withSpec({ type: 'object', anyOf: [{ type: 'object' }] }),
      'properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    [
      'a field that only a junctor knows',
      {
        type: 'object',
        properties: { spec: { type: 'object' } },
        allOf: [{ properties: { spec: { properties: { a: { maxLength: 1 } } } } }],
      },
      'properties[spec].properties[a]: Required value: because it is defined in allOf[0].properties[spec].properties[a]',
    ],
    [
      'more of metadata than its names',
      {
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: text } } },
      },
      'properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [
      'a bad pattern',
      withSpec({ type: 'string', pattern: '(?=a)' }),
      'properties[spec].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      'properties beside additionalProperties',
      withSpec({ type: 'object', properties: { a: text }, additionalProperties: text }),
      'properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [
      'a list map key that may be missing',
      withSpec({ ...list, items: { type: 'object', properties: { k: text } } }),
      'properties[spec].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
    [
      'a list map key that is no field',
      withSpec({ ...list, 'x-kubernetes-list-map-keys': ['z'] }),
      'properties[spec].x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties',
    ],
    [
      'an unpruned default',
      withSpec({ type: 'object', properties: { a: text }, default: { b: 1 } }),
      'properties[spec].default: Invalid value: {"b":1}: must not have unknown fields',
    ],
    [
      'uniqueItems',
      withSpec({ type: 'array', items: text, uniqueItems: true }),
      'properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      'a rule that does not compile',
      withSpec({
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.nope > 1' }],
      }),
      'properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"rule":"self.nope > 1"}: compilation failed: ' +
        "ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^",
    ],
    [
      'a rule that is no condition',
      withSpec({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self' }] }),
      'properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"rule":"self"}: cel expression must evaluate to a bool',
    ],
    [
      'oldSelf where nothing correlates',
      withSpec({
        type: 'array',
        maxItems: 9,
        items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      }),
      'properties[spec].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within properties[spec]',
    ],
    [
      'a fieldPath that leads nowhere',
      withSpec({
        type: 'object',
        properties: { a: text },
        'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.b' }],
      }),
      'properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path',
    ],
  ];
  for (const [what, schema, expected] of cases) {
    it(`refuses ${what}`, () => assert.deepEqual(texts(schema), [expected]));
  }

  it('accepts a schema that uses everything properly', () => {
    const schema: JsonSchema = {
      type: 'object',
      description: 'd',
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } } },
        spec: {
          type: 'object',
          default: { n: 2 },
          properties: {
            list,
            port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text] },
            open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            n: { type: 'integer', default: 1 },
            'a-b': text,
          },
          oneOf: [{ required: ['n'] }, { required: ['port'] }],
          'x-kubernetes-validations': [
            {
              rule: 'self.a__dash__b == oldSelf.a__dash__b',
              messageExpression: '"no " + self.a__dash__b',
              fieldPath: '.list',
              reason: 'FieldValueForbidden',
            },
          ],
        },
      },
    };
    assert.deepEqual(texts(schema), []);
  });

  it('reports what is no schema at all instead of failing', () => {
    const nonsense: unknown = JSON.parse(
      '{"type": "objekt", "properties": {"a": 1, "b": {"$ref": "#/x", "required": "a"}}, "items": []}',
    );
    assert.ok(isSchema(nonsense));
    assert.deepEqual(texts(nonsense), [
      'type: Unsupported value: "objekt": supported values: "array", "boolean", "integer", "number", "object", "string"',
      'properties[a]: Invalid value: 1: must be a schema',
      'properties[b].$ref: Forbidden: $ref is not supported',
      'properties[b].required: Invalid value: "a": must be an array of strings',
      'items: Forbidden: items must be a schema object and not an array',
    ]);
  });
});
