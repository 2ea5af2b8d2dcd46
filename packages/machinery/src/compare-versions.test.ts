import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions } from './compare-versions.ts';

test('compareVersions() puts stable before beta before alpha, newer before older, the rest last', () => {
  const versions = ['foo10', 'v1', 'v11alpha2', 'v2', 'v3beta1', 'v10', 'foo1', 'v11beta2'];
  const order = ['v10', 'v2', 'v1', 'v11beta2', 'v3beta1', 'v11alpha2', 'foo1', 'foo10'];
  assert.deepEqual(versions.sort(compareVersions), order);
});
