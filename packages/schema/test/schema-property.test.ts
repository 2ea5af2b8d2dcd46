import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema } from '@fnlet/machinery';
import fc from 'fast-check';
import { checkStructural, compileSchema } from '../src/index.ts';

// Few names, so that objects often have the fields of their schema, and often others.
const name = fc.constantFrom('a', 'b', 'c', 'spec', '__proto__', 'kind', 'metadata', 'apiVersion');
const known = fc.constantFrom('a', 'b', 'c', 'spec');
const leaf = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true }),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));

/** A default that its schema may accept; those that it does not are weeded out afterwards. */
const defaulted = (schema: fc.Arbitrary<JsonSchema>, values: fc.Arbitrary<unknown>) =>
  fc
    .tuple(schema, fc.option(values, { nil: undefined }), fc.boolean())
    .map(([found, byDefault, isNullable]): JsonSchema => {
      const nullable = isNullable ? { nullable: true } : {};
      return { ...found, ...nullable, ...(byDefault === undefined ? {} : { default: byDefault }) };
    });

const scalar = fc.oneof(
  defaulted(fc.constant({ type: 'string' }), fc.string()),
  defaulted(fc.constant({ type: 'integer' }), fc.integer()),
  defaulted(fc.constant({ type: 'boolean' }), fc.boolean()),
  defaulted(fc.constant({ 'x-kubernetes-int-or-string': true }), fc.oneof(fc.nat(), fc.string())),
);

const { schema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    defaulted(
      tie('object'),
      fc.dictionary(known, fc.oneof(leaf, fc.constant({})), { maxKeys: 3, noNullPrototype: true }),
    ),
    defaulted(
      tie('schema').map((items): JsonSchema => ({ type: 'array', items })),
      fc.array(fc.oneof(leaf, fc.constant({})), { maxLength: 3 }),
    ),
  ),
  object: fc.oneof(
    fc.dictionary(known, tie('schema'), { maxKeys: 4, noNullPrototype: true }).map(
      (properties): JsonSchema => ({
        type: 'object',
        properties,
      }),
    ),
    tie('schema').map(
      (additionalProperties): JsonSchema => ({ type: 'object', additionalProperties }),
    ),
    fc.dictionary(known, tie('schema'), { maxKeys: 3, noNullPrototype: true }).map(
      (properties): JsonSchema => ({
        type: 'object',
        properties,
        'x-kubernetes-preserve-unknown-fields': true,
      }),
    ),
    fc.dictionary(known, tie('schema'), { maxKeys: 3, noNullPrototype: true }).map(
      (properties): JsonSchema => ({
        type: 'object',
        properties,
        'x-kubernetes-embedded-resource': true,
      }),
    ),
  ),
}));

/** A whole kind: objects with a spec of a random schema. */
const kind = fc.dictionary(known, schema, { minKeys: 1, maxKeys: 4, noNullPrototype: true }).map(
  (properties): JsonSchema => ({
    type: 'object',
    properties,
  }),
);

/** The schema without the defaults that a CustomResourceDefinition would be refused for. */
function accepted(of: JsonSchema): JsonSchema {
  let found = of;
  for (let tries = 0; tries < 10 && checkStructural(found).length > 0; tries++) {
    found = withoutDefaults(found, tries === 9);
  }
  return found;
}

function withoutDefaults(of: JsonSchema, all: boolean): JsonSchema {
  const text = JSON.stringify(of, function (this: unknown, key, item: unknown) {
    if (key !== 'default') return item;
    const alone = typeof this === 'object' && this !== null ? { ...this, default: item } : {};
    return all || checkStructural(alone).length > 0 ? undefined : item;
  });
  return JSON.parse(text);
}

const cases = fc.tuple(
  kind.map(accepted),
  fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }),
);
const runs = { numRuns: 400 };

describe('a random schema and a random object', () => {
  it('are such that most schemas are accepted, and defaults and unknown fields occur', () => {
    const found = fc.sample(cases, { numRuns: 300, seed: 1 });
    const compiled = found.map(([of, object]) => ({ of, object, use: compileSchema(of) }));
    const share = (holds: (one: (typeof compiled)[number]) => boolean): number =>
      compiled.filter(holds).length / compiled.length;
    assert.ok(share(({ of }) => checkStructural(of).length === 0) > 0.7);
    assert.ok(share(({ object, use }) => use.applyDefaults(object) !== object) > 0.1);
    assert.ok(share(({ object, use }) => use.prune(object).unknownFields.length > 0) > 0.3);
  });

  it('need their defaults once', () => {
    fc.assert(
      fc.property(cases, ([of, object]) => {
        const { applyDefaults } = compileSchema(of);
        const once = applyDefaults(object);
        assert.equal(applyDefaults(once), once);
      }),
      runs,
    );
  });

  it('are pruned once', () => {
    fc.assert(
      fc.property(cases, ([of, object]) => {
        const { prune } = compileSchema(of, { root: 'resource' });
        const once = prune(object);
        const twice = prune(once.value);
        assert.deepEqual(twice.unknownFields, []);
        assert.deepEqual(twice.value, once.value);
        if (once.unknownFields.length === 0) assert.deepEqual(once.value, object);
      }),
      runs,
    );
  });

  it('have nothing to prune among their defaults, and pruning takes no default away', () => {
    fc.assert(
      fc.property(cases, ([of, object]) => {
        if (checkStructural(of).length > 0) return;
        const { applyDefaults, prune } = compileSchema(of);
        const complete = applyDefaults(prune(object).value);
        assert.deepEqual(prune(complete).unknownFields, []);
        assert.deepEqual(prune(applyDefaults(object)).value, complete);
      }),
      runs,
    );
  });

  it('leave the object that they were given as it was', () => {
    fc.assert(
      fc.property(cases, ([of, object]) => {
        const before = structuredClone(object);
        const { applyDefaults, prune, validate } = compileSchema(of);
        applyDefaults(object);
        prune(object);
        validate(object);
        assert.deepEqual(object, before);
      }),
      runs,
    );
  });
});
