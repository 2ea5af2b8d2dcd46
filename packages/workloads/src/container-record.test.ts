import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoverRecords } from './container-record.ts';

const containers = [{ name: 'main', image: 'node' }];
const init = { name: 'init', image: 'node' };

function reasons(initContainers: readonly (typeof init)[]): readonly string[] {
  const records = recoverRecords({ initContainers, containers }, undefined, '');
  return [...records.values()].map(({ state }) => ('reason' in state ? (state.reason ?? '') : ''));
}

test('containers behind init containers wait for the Pod to be initialized', () => {
  assert.deepEqual(reasons([init]), ['PodInitializing', 'PodInitializing']);
});

test('containers of a Pod without init containers wait to be created', () => {
  assert.deepEqual(reasons([]), ['ContainerCreating']);
});
