import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema } from '@fnlet/machinery';
import fc from 'fast-check';
import { compileSchema } from './compiled-schema.ts';
import { checkStructural } from './structural.ts';

function texts(schema: JsonSchema, value: unknown, old?: unknown): readonly string[] {
  const errors = compileSchema(schema).validate(value, old);
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
});

describe('validate()', () => {
  const cases: readonly (readonly [JsonSchema, unknown, readonly string[]])[] = [
    [
      { type: 'integer' },
      1.5,
      ['x: Invalid value: "number": x in body must be of type integer: "number"'],
    ],
    [{ type: 'integer' }, 2, []],
    [{ type: 'number' }, 2, []],
    [
      { type: 'string' },
      null,
      ['x: Invalid value: "null": x in body must be of type string: "null"'],
    ],
    [{ type: 'string', nullable: true }, null, []],
    [
      { type: 'integer', maximum: 10, exclusiveMaximum: true },
      10,
      ['x: Invalid value: 10: x in body should be less than 10'],
    ],
    [
      { type: 'number', minimum: 0.5 },
      0.00001,
      ['x: Invalid value: 1e-05: x in body should be greater than or equal to 0.5'],
    ],
    [
      { type: 'integer', multipleOf: 3 },
      10,
      ['x: Invalid value: 10: x in body should be a multiple of 3'],
    ],
    [{ type: 'number', multipleOf: 0.1 }, 0.3, []],
    [
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in x'],
    ],
    [{ type: 'string', maxLength: 2 }, '😀😀', []],
    [{ type: 'string', maxLength: 2 }, '😀😀a', ['x: Too long: may not be more than 2 bytes']],
    [
      { type: 'string', minLength: 2 },
      '😀',
      ['x: Invalid value: "😀": x in body should be at least 2 chars long'],
    ],
    [
      { type: 'string', pattern: '^a+$' },
      'b',
      ['x: Invalid value: "b": x in body should match \'^a+$\''],
    ],
    [
      { type: 'string', format: 'ipv4' },
      '1.2.3',
      ['x: Invalid value: "1.2.3": x in body must be of type ipv4: "1.2.3"'],
    ],
    [{ type: 'string', format: 'something-else' }, 'x', []],
    [
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 'b'],
      ['x: Too many: 2: must have at most 1 item'],
    ],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      [],
      ['x: Invalid value: 0: x in body should have at least 1 items'],
    ],
    [
      { type: 'array', items: { type: 'integer' } },
      [1, 'a'],
      ['x[1]: Invalid value: "string": x[1] in body must be of type integer: "string"'],
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 1 },
      { a: 'x', b: 1 },
      [
        'x: Too many: 2: must have at most 1 item',
        'x.b: Invalid value: "integer": x.b in body must be of type string: "integer"',
      ],
    ],
    [{ type: 'object', required: ['a'] }, {}, ['x.a: Required value']],
    [{ type: 'integer', enum: [1, 2] }, 3, ['x: Unsupported value: 3: supported values: "1", "2"']],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      ['x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"'],
    ],
    [{ 'x-kubernetes-int-or-string': true }, '50%', []],
  ];
  for (const [schema, value, expected] of cases) {
    it(`says of ${JSON.stringify(value)} against ${JSON.stringify(schema)} what upstream says`, () => {
      assert.deepEqual(texts(object({ x: schema }), { x: value }), expected);
    });
  }

  it('reports a junctor without a field, and the closest alternative', () => {
    const schema: JsonSchema = {
      ...object({ a: { type: 'string' }, b: { type: 'string' } }),
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    const spec = object({ spec: schema });
    assert.deepEqual(texts(spec, { spec: { a: 'x' } }), []);
    assert.deepEqual(texts(spec, { spec: {} }), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec.a: Required value',
    ]);
    assert.deepEqual(texts(spec, { spec: { a: 'x', b: 'y' } }), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
    assert.deepEqual(texts({ not: { required: ['a'] } }, { a: 1 }), [
      '<nil>: Invalid value: "": "" must not validate the schema (not)',
    ]);
    assert.deepEqual(texts({ anyOf: [{ minimum: 5 }, { maximum: 2 }] }, 3).length, 2);
    assert.deepEqual(
      texts({ allOf: [{ minimum: 5 }, { maximum: 9 }] }, 3).at(-1),
      ['<nil>: Invalid value: "": "" must validate all the schemas (allOf)'][0],
    );
  });

  it('asks embedded resources what they are', () => {
    const schema = object({
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    });
    assert.deepEqual(texts(schema, { template: { apiVersion: '' } }), [
      'template.apiVersion: Invalid value: "": must not be empty',
      'template.kind: Required value: must not be empty',
    ]);
  });

  it('tolerates what was wrong before and did not change, and nothing else', () => {
    const schema = object({
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: object({ k: { type: 'string' }, v: { type: 'integer', maximum: 1 } }),
      },
      atomic: { type: 'array', items: { type: 'integer', maximum: 1 } },
    });
    const old = {
      list: [
        { k: 'a', v: 9 },
        { k: 'b', v: 9 },
      ],
      atomic: [9],
    };
    assert.deepEqual(texts(schema, old, old), []);
    const changed = {
      list: [
        { k: 'b', v: 8 },
        { k: 'a', v: 9 },
      ],
      atomic: [9, 1],
    };
    assert.deepEqual(texts(schema, changed, old), [
      'list[0].v: Invalid value: 8: list[0].v in body should be less than or equal to 1',
      'atomic[0]: Invalid value: 9: atomic[0] in body should be less than or equal to 1',
    ]);
  });
});

describe('applyDefaults()', () => {
  const schema = object({
    spec: {
      type: 'object',
      default: {},
      properties: {
        n: { type: 'integer', default: 3 },
        maybe: { type: 'string', nullable: true, default: 'x' },
        plain: { type: 'string' },
        items: { type: 'array', items: object({ p: { type: 'string', default: 'TCP' } }) },
        map: {
          type: 'object',
          additionalProperties: object({ q: { type: 'integer', default: 1 } }),
        },
      },
    },
  });
  const { applyDefaults } = compileSchema(schema);

  it('fills in missing fields, inside defaults too', () => {
    assert.deepEqual(applyDefaults({}), { spec: { n: 3, maybe: 'x' } });
    assert.deepEqual(applyDefaults({ spec: { items: [{}], map: { a: {} } } }), {
      spec: { items: [{ p: 'TCP' }], map: { a: { q: 1 } }, n: 3, maybe: 'x' },
    });
  });

  it('takes null for missing where null is not allowed', () => {
    assert.deepEqual(applyDefaults({ spec: { n: null, maybe: null, plain: null } }), {
      spec: { n: 3, maybe: null },
    });
  });

  it('returns the same object when nothing is missing', () => {
    const full = { spec: { n: 1, maybe: 'y' }, other: 1 };
    assert.equal(applyDefaults(full), full);
  });

  it('does not let one object change the defaults of another', () => {
    const { applyDefaults: apply } = compileSchema(schema);
    const first = apply({});
    assert.throws(() => Object.assign(Object(first).spec, { n: 9 }), TypeError);
    assert.deepEqual(apply({}), { spec: { n: 3, maybe: 'x' } });
    assert.equal(Object.isFrozen(schema.properties), false);
  });
});

describe('prune()', () => {
  const schema = object({
    spec: object({
      known: { type: 'string' },
      open: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { inner: object({ a: { type: 'string' } }) },
      },
      items: { type: 'array', items: object({ a: { type: 'string' } }) },
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { spec: { type: 'object' } },
      },
    }),
  });
  const { prune } = compileSchema(schema, { root: 'resource' });

  it('removes and names what is unknown, and keeps islands', () => {
    const { value, unknownFields } = prune({
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'x', foo: 1, ownerReferences: [{ uid: '1', bar: 2 }] },
      zz: 1,
      spec: {
        known: 'k',
        open: { any: { b: 1 }, inner: { a: 'x', b: 1 } },
        items: [{ a: 'x' }, { q: 1 }],
        template: { apiVersion: 'v1', kind: 'B', metadata: { q: 1 }, spec: { x: 1 } },
      },
    });
    assert.deepEqual(unknownFields, [
      'metadata.foo',
      'metadata.ownerReferences[0].bar',
      'spec.items[1].q',
      'spec.open.inner.b',
      'spec.template.metadata.q',
      'spec.template.spec.x',
      'zz',
    ]);
    assert.deepEqual(value, {
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'x', ownerReferences: [{ uid: '1' }] },
      spec: {
        known: 'k',
        open: { any: { b: 1 }, inner: { a: 'x' } },
        items: [{ a: 'x' }, {}],
        template: { apiVersion: 'v1', kind: 'B', metadata: {}, spec: {} },
      },
    });
  });

  it('returns the same object when everything is known', () => {
    const known = { apiVersion: 'a/v1', spec: { known: 'k', items: [{ a: 'x' }] } };
    assert.equal(prune(known).value, known);
  });

  it('keeps fields named like the properties of every object apart from those', () => {
    const value: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "spec": {}}');
    assert.deepEqual(prune(value).unknownFields, ['__proto__', 'constructor']);
  });
});

describe('any schema', () => {
  const names = fc.constantFrom('a', 'b', 'metadata', '__proto__', 'x-y');
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'schema' },
      fc.record<JsonSchema>({
        type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
        nullable: fc.boolean(),
        default: fc.oneof(fc.integer(), fc.string(), fc.boolean()),
      }),
      fc.record<JsonSchema>(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
          additionalProperties: fc.oneof(tie('schema'), fc.boolean()),
          required: fc.array(names, { maxLength: 2 }),
          'x-kubernetes-preserve-unknown-fields': fc.boolean(),
          'x-kubernetes-embedded-resource': fc.boolean(),
          'x-kubernetes-validations': fc.constant([{ rule: 'has(self.a) && self.a == self.b' }]),
          default: fc.constant({}),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record<JsonSchema>(
        {
          type: fc.constant('array'),
          items: tie('schema'),
          'x-kubernetes-list-type': fc.constantFrom('atomic', 'set', 'map'),
          'x-kubernetes-list-map-keys': fc.array(names, { maxLength: 2 }),
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record<JsonSchema>({ 'x-kubernetes-int-or-string': fc.constant(true) }),
      fc.record<JsonSchema>(
        {
          oneOf: fc.array(tie('schema'), { maxLength: 2 }),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
          allOf: fc.array(tie('schema'), { maxLength: 2 }),
          not: tie('schema'),
          enum: fc.array(fc.jsonValue({ maxDepth: 1 })),
          pattern: fc.string(),
          multipleOf: fc.double(),
        },
        { requiredKeys: [] },
      ),
    ),
  }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3 }),
    ),
  }));

  it('never throws; defaulting and pruning are idempotent; validating twice says the same', () => {
    fc.assert(
      fc.property(schema, value, value, fc.boolean(), (anySchema, first, old, isResource) => {
        const compiled = compileSchema(anySchema, isResource ? { root: 'resource' } : {});
        checkStructural(anySchema);
        const pruned = compiled.prune(first).value;
        assert.equal(compiled.prune(pruned).value, pruned);
        const defaulted = compiled.applyDefaults(pruned);
        assert.equal(compiled.applyDefaults(defaulted), defaulted);
        const errors = compiled.validate(defaulted, old);
        assert.deepEqual(compiled.validate(defaulted, old), errors);
        assert.deepEqual(compiled.validate(defaulted, defaulted).length >= 0, true);
      }),
      { numRuns: 300 },
    );
  });
});
