import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '@fnlet/machinery';
import { functionCrd, functionType, parseFunction } from './function.ts';
import { operatorCrd } from './operator.ts';
import { parseRevision, revisionCrd } from './revision.ts';
import { triggerCrd } from './trigger.ts';

const spec = {
  runtime: 'nodejs24',
  handler: 'default',
  source: { inline: 'export default () => "hi";' },
  allowInstallScripts: false,
  timeout: '30s',
  scale: { min: 0, max: 100, target: 50, limit: 0, idleAfter: '60s' },
};

function functionWith(change: object): unknown {
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'default' },
    spec: { ...spec, ...change },
  };
}

test('parseFunction() gives the object back, typed', () => {
  const value = functionWith({});
  const parsed = parseFunction(value);
  assert.equal(parsed, value);
  assert.equal(parsed.spec.scale.idleAfter, '60s');
});

test('parseFunction() refuses objects that did not pass their schema', () => {
  const wrong: readonly [object, RegExp][] = [
    [{ runtime: 24 }, /spec\.runtime: expected string, found 24/],
    [{ scale: { min: 0 } }, /spec\.scale\.max: expected integer, found nothing/],
    [{ env: [{ value: 'x' }] }, /spec\.env\[0\]\.name: expected string, found nothing/],
  ];
  for (const [change, message] of wrong) {
    assert.throws(() => parseFunction(functionWith(change)), {
      code: 'UnexpectedShape',
      message,
    });
  }
  assert.throws(() => parseFunction(undefined), { code: 'UnexpectedShape' });
  assert.throws(() => parseRevision(functionWith({})), /kind: expected one of Revision/);
});

test('the manifests name what clients address', () => {
  assert.equal(functionCrd.metadata.name, 'functions.fnlet.dev');
  assert.deepEqual(functionCrd.spec.names.shortNames, ['fn']);
  assert.deepEqual(functionCrd.spec.names.categories, ['all', 'fnlet']);
  assert.equal(functionType.plural, functionCrd.spec.names.plural);
  assert.equal(revisionCrd.metadata.name, 'revisions.fnlet.dev');
});

for (const crd of [functionCrd, revisionCrd, triggerCrd, operatorCrd]) {
  const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema ?? {};

  test(`${crd.spec.names.kind}: every field of the schema is explained in sentences`, () => {
    for (const [path, field] of fields(schema, '')) {
      if (path === '.metadata') continue;
      assert.match(field.description ?? '', /^[A-Z].*\.$/, path);
    }
  });

  test(`${crd.spec.names.kind}: every rule has a message of its own`, () => {
    for (const [path, field] of fields(schema, '')) {
      for (const rule of field['x-kubernetes-validations'] ?? []) {
        assert.ok((rule.message ?? '').length > 20, `${path}: ${rule.rule}`);
      }
    }
  });
}

function* fields(schema: JsonSchema, path: string): Generator<[string, JsonSchema]> {
  if (path !== '') yield [path, schema];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield* fields(field, `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* fields(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') {
    yield* fields(schema.additionalProperties, `${path}{}`);
  }
}
