import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RevisionTemplate } from '@fnlet/api';
import { planPodChanges } from './plan-pod-changes.ts';

const before: RevisionTemplate = {
  ...{ runtime: 'nodejs24', handler: 'default', timeout: '30s', allowInstallScripts: false },
  source: { inline: 'export default () => 1;' },
  mounts: [{ secret: 'keys', path: '/keys' }],
};

test('planPodChanges() finds nothing where the code alone differs', () => {
  const now: RevisionTemplate = {
    ...{ ...before, source: { inline: 'export default () => 2;' }, handler: 'main' },
    ...{ timeout: '5s', env: [{ name: 'A', value: 'b' }], labels: { team: 'a' } },
  };
  assert.deepEqual(planPodChanges(before, now), []);
});

test('planPodChanges() names what a Pod has from its beginning on', () => {
  const now: RevisionTemplate = {
    ...{ ...before, runtime: 'nodejs22', mounts: [], timeout: '5m', development: true },
    ...{ serviceAccountName: 'worker', resources: { limits: { memory: '1Gi' } } },
    ...{ imageOverride: 'registry.example/node', pod: { nodeSelector: { disk: 'fast' } } },
  };
  const names = ['runtime', 'development', 'mounts', 'serviceAccountName', 'resources'];
  const all = [...names, 'imageOverride', 'pod', 'timeout'].map((name) => `spec.${name}`);
  assert.deepEqual(planPodChanges(before, now), all);
});
