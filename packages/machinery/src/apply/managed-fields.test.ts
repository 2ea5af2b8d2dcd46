import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedFieldsEntry } from '../object.ts';
import {
  capUpdateOwners,
  decodeManagedFields,
  encodeManagedFields,
  isReset,
} from './managed-fields.ts';

function entry(manager: string, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { [`f:${manager}`]: {} },
    ...more,
  };
}

test('encodeManagedFields() orders by operation, time, manager, version', () => {
  const entries = [
    entry('a', { operation: 'Apply', time: '2026-01-01T00:00:01Z' }),
    entry('z', { operation: 'Apply', time: '2026-01-01T00:00:02Z' }),
    entry('y'),
    entry('b', { time: '2026-01-01T00:00:00Z' }),
    entry('c', { time: '2026-01-01T00:00:00Z' }),
    entry('c', { time: '2026-01-01T00:00:00Z', apiVersion: 'v2' }),
    entry('c', { time: '2026-01-01T00:00:00Z', apiVersion: 'v2', subresource: 'status' }),
  ];
  const owners = decodeManagedFields(entries.toReversed());
  assert.ok(owners);
  assert.deepEqual(encodeManagedFields(owners), entries);
});

test('decodeManagedFields() knows an applier across versions, an updater only in its own', () => {
  const both = (operation: 'Apply' | 'Update') =>
    decodeManagedFields([entry('a', { operation }), entry('a', { operation, apiVersion: 'v2' })])
      ?.size;
  assert.equal(both('Apply'), 1);
  assert.equal(both('Update'), 2);
});

describe('decodeManagedFields() reads nothing from', () => {
  const cases: readonly [title: string, managedFields: unknown][] = [
    ['what is no list', {}],
    ['entries that are no objects', [1]],
    ['unknown operations', [{ ...entry('a'), operation: 'Write' }]],
    ['entries without version', [{ ...entry('a'), apiVersion: '' }]],
    ['broken field sets', [{ ...entry('a'), fieldsV1: { 'x:a': {} } }]],
  ];
  for (const [title, managedFields] of cases) {
    test(title, () => assert.equal(decodeManagedFields(managedFields), undefined));
  }

  test('nothing, without complaint', () => {
    assert.equal(decodeManagedFields(undefined)?.size, 0);
    assert.equal(decodeManagedFields(null)?.size, 0);
  });
});

test('isReset() recognises an empty list and one empty entry', () => {
  assert.equal(isReset([]), true);
  assert.equal(isReset([{}]), true);
  assert.equal(isReset([{}, {}]), false);
  assert.equal(isReset([entry('a')]), false);
  assert.equal(isReset(undefined), false);
});

describe('capUpdateOwners()', () => {
  const updaters = (count: number): readonly ManagedFieldsEntry[] =>
    Array.from({ length: count }, (_, i) => {
      const second = String(i).padStart(2, '0');
      return entry(`u${second}`, { time: `2026-01-01T00:00:${second}Z` });
    });
  const capped = (entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] => {
    const owners = decodeManagedFields(entries);
    assert.ok(owners);
    return encodeManagedFields(capUpdateOwners(owners));
  };

  test('keeps ten', () => {
    assert.deepEqual(capped(updaters(10)), updaters(10));
  });

  test('makes the oldest ones of a version into ancient-changes', () => {
    const found = capped(updaters(12));
    assert.equal(found.length, 10);
    assert.deepEqual(found[0], {
      ...entry('ancient-changes', { time: '2026-01-01T00:00:02Z' }),
      fieldsV1: { 'f:u00': {}, 'f:u01': {}, 'f:u02': {} },
    });
    assert.deepEqual(capped(found), found);
  });

  test('does not count appliers', () => {
    const appliers = updaters(12).map((one) => ({ ...one, operation: 'Apply' as const }));
    assert.deepEqual(capped(appliers), appliers);
  });
});
