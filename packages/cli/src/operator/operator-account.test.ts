import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, operator } from '@fnlet/sdk/operator';
import { planOperatorAccount } from './operator-account.ts';

const account = { name: 'sites', namespace: 'apps' };
const everywhere = operator(ConfigMap, { reconcile: () => ({}) });
const inTwo = operator(ConfigMap, { namespaces: ['a', 'b'], reconcile: () => ({}) });

function kindsAndPlaces(objects: ReturnType<typeof planOperatorAccount>): string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '*'}`);
}

test('operators that keep to namespaces get Roles there, and no ClusterRole', () => {
  assert.deepEqual(kindsAndPlaces(planOperatorAccount([inTwo], account)), [
    'ServiceAccount apps',
    'Role a',
    'RoleBinding a',
    'Role b',
    'RoleBinding b',
    'Role apps',
    'RoleBinding apps',
  ]);
});

test('one that works everywhere needs a ClusterRole', () => {
  const objects = planOperatorAccount([inTwo, everywhere], account);
  assert.ok(kindsAndPlaces(objects).includes('ClusterRole *'));
  const binding = objects.find(({ kind }) => kind === 'ClusterRoleBinding');
  assert.deepEqual(binding?.subjects, [{ kind: 'ServiceAccount', ...account }]);
});
