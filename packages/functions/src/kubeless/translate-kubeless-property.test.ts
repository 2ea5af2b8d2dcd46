// Whatever the definition of the kind lets pass is translated, to what Fnlet's own definition lets
// pass, or refused with a reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionCrd } from '@fnlet/api';
import { kubelessFunctionCrd } from '@fnlet/api/kubeless';
import { isJsonObject } from '@fnlet/base';
import type { CustomResourceDefinition, JsonSchema } from '@fnlet/machinery';
import { type CompiledSchema, compileSchema } from '@fnlet/schema';
import fc from 'fast-check';
import { objectsOf } from '../../test/values-of-schema.ts';
import { translateKubeless } from './translate-kubeless.ts';

function schemaOf({ spec }: CustomResourceDefinition): JsonSchema {
  return spec.versions[0]?.schema?.openAPIV3Schema ?? {};
}

const compile = (schema: JsonSchema): CompiledSchema => compileSchema(schema, { root: 'resource' });
const own = compile(schemaOf(functionCrd));
const accepts = compile(schemaOf(kubelessFunctionCrd));

const texts = fc.oneof(
  fc.constantFrom('A', 'a', '/a', '/dev', '..', ' ', '$(A)', 'a.b', 'a.b.c', 'text', 'base64'),
  fc.constantFrom('url+zip', 'base64+zip', 'text+deps', 'https://example.dev/a.zip', 'nodejs14'),
  fc.constantFrom('python2.7', 'sha256:ab', `sha256:${'0'.repeat(64)}`, '{}', '9', '-1', '0'),
  fc.string(),
);
const quantities = fc.oneof(fc.integer({ min: -1, max: 4000 }), texts);

/** A Deployment with the parts that count, each right or not. */
const deployments = fc.record(
  {
    spec: fc.record(
      {
        replicas: fc.oneof(fc.integer({ min: -1, max: 2000 }), texts),
        template: fc.record(
          {
            metadata: fc.record(
              { labels: fc.dictionary(texts, fc.oneof(texts, fc.integer())), annotations: texts },
              { requiredKeys: [] },
            ),
            spec: fc.record(
              {
                containers: fc.array(containers(), { maxLength: 2 }),
                volumes: fc.array(
                  fc.record(
                    {
                      name: fc.constantFrom('a', 'b'),
                      secret: fc.record({ secretName: texts, defaultMode: quantities }),
                      configMap: fc.record({ name: texts, items: fc.jsonValue() }),
                      emptyDir: fc.constant({}),
                    },
                    { requiredKeys: ['name'] },
                  ),
                  { maxLength: 2 },
                ),
                serviceAccountName: fc.oneof(texts, fc.integer()),
                nodeSelector: fc.dictionary(texts, texts),
              },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

function containers(): fc.Arbitrary<unknown> {
  return fc.record(
    {
      image: texts,
      env: fc.array(
        fc.oneof(
          fc.record({ name: texts, value: quantities }, { requiredKeys: [] }),
          fc.record({ name: texts, valueFrom: fc.jsonValue() }),
        ),
        { maxLength: 2 },
      ),
      envFrom: fc.array(fc.jsonValue(), { maxLength: 1 }),
      resources: fc.record(
        {
          limits: fc.record({ cpu: quantities, memory: quantities }, { requiredKeys: [] }),
          requests: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      volumeMounts: fc.array(
        fc.record({ name: fc.constantFrom('a', 'b', 'c'), mountPath: texts }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  );
}

const right = { runtime: 'nodejs14', handler: 'hello.run', function: 'x' };
const { properties = {} } = schemaOf(kubelessFunctionCrd).properties?.spec ?? {};

/** A function that is right but for, perhaps, some fields of its spec. */
const specs = fc
  .tuple(
    fc.subarray(Object.keys(properties), { maxLength: 2 }),
    objectsOf(
      { type: 'object', properties, required: Object.keys(properties) },
      { texts, quantities },
    ),
    fc.option(deployments),
  )
  .map(([changed, all, deployment]) => {
    const change = Object.entries(Object(all)).filter(([key]) => changed.includes(key));
    return {
      ...right,
      ...(deployment === null ? {} : { deployment }),
      ...Object.fromEntries(change),
    };
  });

test('every function is translated or refused with a reason', () => {
  const counts = { translated: 0, refused: 0, impossible: 0 };
  fc.assert(
    fc.property(specs, fc.dictionary(texts, texts, { maxKeys: 2 }), (spec, annotations) => {
      const metadata = { name: 'hello', namespace: 'default', annotations };
      const object = accepts.applyDefaults({
        ...{ apiVersion: 'kubeless.io/v1beta1', kind: 'Function', metadata, spec },
      });
      if (!isJsonObject(object) || accepts.validate(object).length > 0) {
        counts.impossible++;
        return;
      }
      const translation = translateKubeless(Object(object));
      counts[translation.kind]++;
      if (translation.kind === 'refused') {
        assert.ok(translation.reasons.join('').length > 0);
      } else {
        assert.deepEqual(own.validate(translation.function), []);
        assert.deepEqual(own.prune(translation.function).unknownFields, []);
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(counts.translated > 50 && counts.refused > 50, JSON.stringify(counts));
});
