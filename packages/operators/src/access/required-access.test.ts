import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindBrought } from './required-access.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {
    ...{ group: 'example.dev', scope: 'Namespaced', names: { kind: 'Site', plural: 'sites' } },
    versions: [{ name: 'v1', subresources: { status: {} } }, { name: 'v2' }],
  },
};
const crds = [null, 'text', {}, { spec: { group: 'example.dev' } }, definition];

test('kindBrought() reads a kind from the definitions that an Operator brings', () => {
  const found = kindBrought({ crds }, { apiVersion: 'example.dev/v1', kind: 'Site' });
  assert.equal(found?.hasStatus, true);
  assert.equal(found.kind.plural, 'sites');
  assert.equal(found.kind.scope, 'Namespaced');
  const second = kindBrought({ crds }, { apiVersion: 'example.dev/v2', kind: 'Site' });
  assert.equal(second?.hasStatus, false);
});

test('kindBrought() finds no other kind, version or group', () => {
  for (const [apiVersion, kind] of [
    ['example.dev/v3', 'Site'],
    ['example.dev/v1', 'Page'],
    ['v1', 'Site'],
  ] as const) {
    assert.equal(kindBrought({ crds }, { apiVersion, kind }), undefined);
  }
  assert.equal(kindBrought({}, { apiVersion: 'example.dev/v1', kind: 'Site' }), undefined);
});
