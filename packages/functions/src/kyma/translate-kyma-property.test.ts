// Whatever the definition of the kind lets pass is translated, to what Fnlet's own definition lets
// pass, or refused with a reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionCrd } from '@fnlet/api';
import { kymaFunctionCrd } from '@fnlet/api/kyma';
import { isJsonObject } from '@fnlet/base';
import type { CustomResourceDefinition, JsonSchema } from '@fnlet/machinery';
import { type CompiledSchema, compileSchema } from '@fnlet/schema';
import fc from 'fast-check';
import { objectsOf } from '../../test/values-of-schema.ts';
import { translateKyma } from './translate-kyma.ts';

function schemasOf({ spec }: CustomResourceDefinition): [string, JsonSchema][] {
  return spec.versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema ?? {}]);
}

const compile = (schema: JsonSchema): CompiledSchema => compileSchema(schema, { root: 'resource' });

const quantities = fc.oneof(
  fc.integer({ min: -1, max: 9 }),
  fc.constantFrom('100m', '8Mi', '64Mi', '1.5Gi', '1e3', '.5', '-1', '1E', '2Ei', '1n'),
);

const right = { runtime: 'nodejs24', source: { inline: { source: 'x' } }, replicas: 1 };

const texts = fc.oneof(
  fc.constantFrom('A', 'a', 'a/b', '/a', '/dev/x', '..', ' ', '$(A)', '$$(', 'L', 'FUNC_TIMEOUT'),
  fc.constantFrom('https://example.dev/a.git', 'git@example.dev:a/b', 'basic', '{}', 'main', '9'),
  fc.constantFrom('fnlet.dev/x', 'metadata.name', 'limits.memory', 'x'.repeat(300)),
  fc.string(),
);

/** A Function that is right but for, perhaps, some fields of its spec. */
function specsOf({ properties = {} }: JsonSchema): fc.Arbitrary<unknown> {
  const keys = fc.subarray(Object.keys(properties), { maxLength: 2 });
  const values = objectsOf(
    { type: 'object', properties, required: Object.keys(properties) },
    { texts, quantities },
  );
  return fc.tuple(keys, values).map(([changed, all]) => {
    const change = Object.entries(Object(all)).filter(([key]) => changed.includes(key));
    return { ...right, ...Object.fromEntries(change) };
  });
}

const own = compile(schemasOf(functionCrd)[0]?.[1] ?? {});

for (const [version, schema] of schemasOf(kymaFunctionCrd)) {
  test(`every Function of ${version} is translated or refused with a reason`, () => {
    const accepts = compile(schema);
    const counts = { translated: 0, refused: 0, impossible: 0 };
    const specs = specsOf(schema.properties?.spec ?? {});
    fc.assert(
      fc.property(specs, fc.dictionary(texts, texts, { maxKeys: 2 }), (spec, annotations) => {
        const metadata = { name: 'hello', namespace: 'default', annotations };
        const apiVersion = `serverless.kyma-project.io/${version}`;
        const object = accepts.applyDefaults({ apiVersion, kind: 'Function', metadata, spec });
        if (!isJsonObject(object) || accepts.validate(object).length > 0) {
          counts.impossible++;
          return;
        }
        const translation = translateKyma(Object(object));
        counts[translation.kind]++;
        if (translation.kind === 'refused') {
          assert.ok(translation.reasons.join('').length > 0);
        } else {
          assert.deepEqual(own.validate(translation.function), []);
          assert.deepEqual(own.prune(translation.function).unknownFields, []);
        }
      }),
      { numRuns: 1000 },
    );
    assert.ok(counts.translated > 100 && counts.refused > 100, JSON.stringify(counts));
  });
}
