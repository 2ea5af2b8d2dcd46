import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildOpenApi } from './open-api.ts';
import { toOpenApiV2 } from './open-api-v2.ts';

const document = buildOpenApi({
  group: 'example.com',
  version: 'v1',
  title: 'Kubernetes',
  infoVersion: 'v1',
  resources: [
    {
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
      verbs: ['get', 'list', 'create', 'patch'],
      subresources: { status: true },
      schema: {
        type: 'object',
        properties: {
          size: { type: 'integer', default: 3, nullable: true, maximum: 9 },
          open: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: {} },
          known: {
            type: 'object',
            required: ['a', 'b'],
            properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
          },
          free: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { a: { type: 'string' } },
          },
          list: { type: 'array', items: { type: 'string', anyOf: [{ pattern: 'a' }] } },
        },
      },
    },
  ],
});

const whole = toOpenApiV2([document], { title: 'Kubernetes', version: 'v1' });

function at(...path: readonly string[]): unknown {
  let found: unknown = whole;
  for (const name of path) {
    assert.ok(typeof found === 'object' && found !== null, name);
    found = new Map(Object.entries(found)).get(name);
  }
  return found;
}

const item = '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}';

test('toOpenApiV2() tells of a PATCH what kubectl looks for', () => {
  const gvk = { group: 'example.com', kind: 'Widget', version: 'v1' };
  assert.deepEqual(at('paths', item, 'patch', 'x-kubernetes-group-version-kind'), gvk);
  const parameters = at('paths', item, 'patch', 'parameters');
  assert.ok(Array.isArray(parameters));
  const names = parameters.map(({ name, in: place }) => `${place} ${name}`);
  assert.deepEqual(names, [
    'body body',
    'query dryRun',
    'query fieldManager',
    'query fieldValidation',
    'query force',
  ]);
  assert.equal(parameters[1].type, 'string');
});

test('toOpenApiV2() tells media types and answers in the words of v2', () => {
  const consumes = at('paths', item, 'patch', 'consumes');
  assert.ok(Array.isArray(consumes) && consumes.includes('application/merge-patch+json'));
  assert.deepEqual(at('paths', item, 'get', 'responses', '200', 'schema'), {
    $ref: '#/definitions/com.example.v1.Widget',
  });
});

test('toOpenApiV2() leaves out what v2 cannot say, and never says it wrongly', () => {
  const widget = ['definitions', 'com.example.v1.Widget', 'properties'];
  assert.deepEqual(at(...widget, 'size'), { default: 3, maximum: 9 });
  assert.deepEqual(at(...widget, 'open'), { 'x-kubernetes-preserve-unknown-fields': true });
  assert.deepEqual(at(...widget, 'known', 'required'), ['b']);
  assert.deepEqual(at(...widget, 'free'), {
    'x-kubernetes-preserve-unknown-fields': true,
  });
  assert.deepEqual(at(...widget, 'list'), { type: 'array', items: { type: 'string' } });
  const metadata = at(...widget, 'metadata');
  assert.ok(typeof metadata === 'object' && metadata !== null && '$ref' in metadata);
  assert.equal(metadata.$ref, '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
});

test('toOpenApiV2() tells nothing of an object that keeps unknown fields but its kind', () => {
  const resource = { group: 'example.com', version: 'v1', kind: 'Any', plural: 'anys' };
  const open = buildOpenApi({
    ...{ group: 'example.com', version: 'v1', title: 'Kubernetes', infoVersion: 'v1' },
    resources: [
      {
        ...{ ...resource, namespaced: true, verbs: ['get'], subresources: {} },
        schema: {
          ...{ type: 'object', description: 'Any.', properties: { a: { type: 'string' } } },
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    ],
  });
  const { definitions } = toOpenApiV2([open], { title: 'Kubernetes', version: 'v1' });
  assert.deepEqual(Object(definitions)['com.example.v1.Any'], {
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Any', version: 'v1' }],
  });
});
