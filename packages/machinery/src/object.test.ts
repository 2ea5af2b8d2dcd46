import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatApiVersion,
  formatObjectKey,
  objectKey,
  parseApiVersion,
  parseObjectKey,
  type ResourceType,
  resourcePath,
} from './object.ts';

test('object keys and their texts', () => {
  for (const key of [
    { namespace: 'a', name: 'b' },
    { namespace: '', name: 'b' },
  ]) {
    assert.deepEqual(parseObjectKey(formatObjectKey(key)), key);
  }
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b' } };
  assert.deepEqual(objectKey(object), { namespace: '', name: 'b' });
});

test('API versions and their parts', () => {
  assert.deepEqual(parseApiVersion('v1'), { group: '', version: 'v1' });
  assert.deepEqual(parseApiVersion('apps/v1'), { group: 'apps', version: 'v1' });
  for (const text of ['v1', 'apps/v1']) assert.equal(formatApiVersion(parseApiVersion(text)), text);
});

describe('resourcePath()', () => {
  const pods: ResourceType = {
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
  };
  const functions = { ...pods, group: 'fnlet.dev', version: 'v1alpha1', plural: 'functions' };
  const nodes = { ...pods, plural: 'nodes', namespaced: false };

  test('of a collection, everywhere and in a namespace', () => {
    assert.equal(resourcePath(pods, {}), '/api/v1/pods');
    assert.equal(resourcePath(pods, { namespace: '' }), '/api/v1/pods');
    assert.equal(resourcePath(pods, { namespace: 'a' }), '/api/v1/namespaces/a/pods');
  });

  test('of an object and a subresource', () => {
    assert.equal(
      resourcePath(functions, { namespace: 'a', name: 'b', subresource: 'status' }),
      '/apis/fnlet.dev/v1alpha1/namespaces/a/functions/b/status',
    );
  });

  test('of a cluster-scoped object, whatever the namespace', () => {
    assert.equal(resourcePath(nodes, { namespace: 'a', name: 'b' }), '/api/v1/nodes/b');
  });

  test('escapes what is not part of a path segment', () => {
    assert.equal(resourcePath(nodes, { name: 'a/../b' }), '/api/v1/nodes/a%2F..%2Fb');
  });
});
