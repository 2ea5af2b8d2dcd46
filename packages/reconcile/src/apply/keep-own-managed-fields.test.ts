import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { keepOwnManagedFields } from './keep-own-managed-fields.ts';

function applied(name: string, managers: readonly string[]): KubeObject {
  const managedFields = managers.map((manager) => ({
    manager,
    operation: 'Apply' as const,
    apiVersion: 'v1',
    fieldsType: 'FieldsV1' as const,
    fieldsV1: {
      'f:data': { 'f:html': {} },
      'f:metadata': { 'f:labels': { 'f:app': {} }, 'f:ownerReferences': { [`k:${name}`]: {} } },
    },
  }));
  const update = { manager: 'a', operation: 'Update' as const, apiVersion: 'v1' };
  const entries = [...managedFields, { ...update, fieldsType: 'FieldsV1' as const, fieldsV1: {} }];
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, managedFields: entries } };
}

test('what others applied goes, and what was not applied', () => {
  const keep = keepOwnManagedFields('a', 'b');
  const kept = keep(applied('one', ['a', 'b', 'c'])).metadata.managedFields ?? [];
  assert.deepEqual(
    kept.map(({ manager, operation }) => `${operation} by ${manager}`),
    ['Apply by a', 'Apply by b'],
  );
});

test('equal parts are one for all, without a change to what they say', () => {
  const keep = keepOwnManagedFields('a');
  const [one, two] = ['one', 'two'].map((name) => applied(name, ['a']));
  assert.ok(one !== undefined && two !== undefined);
  const [first, second] = [one, two].map((object) => keep(object).metadata.managedFields?.[0]);
  assert.deepEqual(first, one.metadata.managedFields?.[0]);
  assert.deepEqual(second, two.metadata.managedFields?.[0]);
  assert.equal(first?.fieldsV1['f:data'], second?.fieldsV1['f:data']);
});

test('an object that came without any stays as it is', () => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
  assert.equal(keepOwnManagedFields('a')(object), object);
});
