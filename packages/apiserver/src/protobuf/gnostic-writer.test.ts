import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeGnostic } from './gnostic-writer.ts';
import { WireReader } from './wire-reader.ts';

/** The texts at a path of field numbers. */
function texts(bytes: Uint8Array, ...path: readonly number[]): readonly string[] {
  const [number, ...rest] = path;
  if (number === undefined) return [Buffer.from(bytes).toString()];
  const found: string[] = [];
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    const { field, wireType } = reader.tag();
    if (field === number && wireType === 2) found.push(...texts(reader.bytes(), ...rest));
    else reader.skip(wireType);
  }
  return found;
}

const bytes = writeGnostic({
  swagger: '2.0',
  info: { title: 'Kubernetes', version: 'v1' },
  paths: {
    '/a/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, type: 'string' }],
      patch: {
        operationId: 'patchA',
        consumes: ['application/merge-patch+json'],
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
          { name: 'dryRun', in: 'query', type: 'string' },
        ],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/A' } } },
        'x-kubernetes-group-version-kind': { group: '', kind: 'A', version: 'v1' },
      },
    },
  },
  definitions: {
    A: {
      type: 'object',
      required: ['b'],
      properties: { b: { type: 'array', items: { type: 'string', enum: ['x'] } } },
      additionalProperties: { format: 'f' },
    },
  },
  securityDefinitions: {},
});

// Field numbers: OpenAPIv2.proto of gnostic-models.
test('writeGnostic() puts title, version and paths where gnostic reads them', () => {
  assert.deepEqual(texts(bytes, 1), ['2.0']);
  assert.deepEqual(texts(bytes, 2, 1), ['Kubernetes']);
  assert.deepEqual(texts(bytes, 2, 2), ['v1']);
  assert.deepEqual(texts(bytes, 8, 2, 1), ['/a/{name}']);
});

test('writeGnostic() writes operations with parameters, answers and extensions', () => {
  const patch = [8, 2, 2, 8];
  assert.deepEqual(texts(bytes, ...patch, 5), ['patchA']);
  assert.deepEqual(texts(bytes, ...patch, 7), ['application/merge-patch+json']);
  assert.deepEqual(texts(bytes, ...patch, 8, 1, 1, 2), ['body']);
  assert.deepEqual(texts(bytes, ...patch, 8, 1, 1, 5, 1), ['#/definitions/A']);
  assert.deepEqual(texts(bytes, ...patch, 8, 1, 2, 3, 4), ['dryRun']);
  assert.deepEqual(texts(bytes, ...patch, 9, 1, 2, 1, 2, 1, 1), ['#/definitions/A']);
  assert.deepEqual(texts(bytes, ...patch, 13, 1), ['x-kubernetes-group-version-kind']);
  const [gvk = ''] = texts(bytes, ...patch, 13, 2, 2);
  assert.deepEqual(JSON.parse(gvk), { group: '', kind: 'A', version: 'v1' });
  assert.deepEqual(texts(bytes, 8, 2, 2, 9, 1, 2, 4, 4), ['name']);
});

test('writeGnostic() writes schemas with their properties, items and choices', () => {
  const schema = [9, 1, 2];
  assert.deepEqual(texts(bytes, 9, 1, 1), ['A']);
  assert.deepEqual(texts(bytes, ...schema, 22, 1), ['object']);
  assert.deepEqual(texts(bytes, ...schema, 19), ['b']);
  assert.deepEqual(texts(bytes, ...schema, 25, 1, 1), ['b']);
  assert.deepEqual(texts(bytes, ...schema, 25, 1, 2, 23, 1, 22, 1), ['string']);
  assert.deepEqual(texts(bytes, ...schema, 25, 1, 2, 23, 1, 20, 2), ['"x"']);
  assert.deepEqual(texts(bytes, ...schema, 21, 1, 2), ['f']);
});
