import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { buildOpenApi } from './open-api.ts';
import type { OpenApiResource } from './open-api-resource.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const functions: OpenApiResource = {
  group: 'fnlet.dev',
  version: 'v1alpha1',
  kind: 'Function',
  plural: 'functions',
  namespaced: true,
  schema: {
    type: 'object',
    description: 'Function is code that is called.',
    properties: {
      spec: {
        type: 'object',
        properties: {
          any: { type: 'object', additionalProperties: true },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 40 } } },
    },
  },
  verbs,
  subresources: { status: true, scale: true },
};
const pods: OpenApiResource = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  schema: undefined,
  verbs: ['get', 'patch'],
  subresources: {},
  strategicMergePatch: true,
};

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isJsonObject(inner) ? inner[key] : undefined),
    value,
  );
}

function document(resource: OpenApiResource): JsonObject {
  const { group, version } = resource;
  return buildOpenApi({
    group,
    version,
    resources: [resource],
    title: 'T',
    infoVersion: 'v1.36.0',
  });
}

function references(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isJsonObject(value)) return [];
  const own = typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

describe('buildOpenApi()', () => {
  const doc = document(functions);
  const collection = '/apis/fnlet.dev/v1alpha1/namespaces/{namespace}/functions';

  it('describes the kind and its list under their group, version and kind', () => {
    const schemas = at(doc, 'components', 'schemas');
    const name = 'dev.fnlet.v1alpha1.Function';
    assert.deepEqual(at(schemas, name, 'x-kubernetes-group-version-kind'), [
      { group: 'fnlet.dev', kind: 'Function', version: 'v1alpha1' },
    ]);
    assert.deepEqual(at(schemas, `${name}List`, 'x-kubernetes-group-version-kind'), [
      { group: 'fnlet.dev', kind: 'FunctionList', version: 'v1alpha1' },
    ]);
    assert.deepEqual(at(schemas, name, 'properties', 'metadata', 'allOf'), [
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
  });

  it('writes additionalProperties as a schema, which kubectl explain needs', () => {
    const spec = at(
      doc,
      'components',
      'schemas',
      'dev.fnlet.v1alpha1.Function',
      'properties',
      'spec',
    );
    assert.deepEqual(at(spec, 'properties', 'any', 'additionalProperties'), {});
  });

  it('refers only to schemas that are there', () => {
    const schemas = at(doc, 'components', 'schemas');
    for (const reference of new Set(references(doc))) {
      const name = reference.replace('#/components/schemas/', '');
      assert.ok(at(schemas, name) !== undefined, name);
    }
  });

  it('lists the parameters and patch types that kubectl looks for', () => {
    const patch = at(doc, 'paths', `${collection}/{name}`, 'patch');
    assert.deepEqual(at(patch, 'x-kubernetes-group-version-kind'), {
      group: 'fnlet.dev',
      kind: 'Function',
      version: 'v1alpha1',
    });
    assert.equal(at(patch, 'x-kubernetes-action'), 'patch');
    const parameters = at(patch, 'parameters');
    assert.ok(Array.isArray(parameters));
    assert.deepEqual(
      parameters.map((parameter: unknown) => at(parameter, 'name')),
      ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
    );
    assert.deepEqual(Object.keys(Object(at(patch, 'requestBody', 'content'))), [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
  });

  it('offers strategic merge patches only where a resource takes them', () => {
    const path = '/api/v1/namespaces/{namespace}/pods/{name}';
    const patch = at(document(pods), 'paths', path, 'patch');
    const types = Object.keys(Object(at(patch, 'requestBody', 'content')));
    assert.ok(types.includes('application/strategic-merge-patch+json'));
  });

  it('has an operation for each verb and no other', () => {
    const methods = (path: string, from: JsonObject): readonly string[] =>
      Object.keys(Object(at(from, 'paths', path))).filter((key) => key !== 'parameters');
    assert.deepEqual(methods(collection, doc), ['get', 'post', 'delete']);
    assert.deepEqual(methods(`${collection}/{name}`, doc), ['get', 'put', 'patch', 'delete']);
    assert.deepEqual(methods(`${collection}/{name}/status`, doc), ['get', 'put', 'patch']);
    assert.deepEqual(methods(`${collection}/{name}/scale`, doc), ['get', 'put', 'patch']);
    assert.deepEqual(methods('/apis/fnlet.dev/v1alpha1/functions', doc), ['get']);
    const podPath = '/api/v1/namespaces/{namespace}/pods/{name}';
    assert.deepEqual(methods(podPath, document(pods)), ['get', 'patch']);
  });

  it('gives every operation an id of its own', () => {
    const paths = Object.values(Object(at(doc, 'paths')));
    const ids = paths.flatMap((path) =>
      Object.values(Object(path)).map((operation) => at(operation, 'operationId')),
    );
    const given = ids.filter((id) => typeof id === 'string');
    assert.equal(new Set(given).size, given.length);
    assert.ok(given.includes('createFnletDevV1alpha1NamespacedFunction'));
  });
});
