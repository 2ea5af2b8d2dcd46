import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, operator, validating } from '@fnlet/sdk/operator';
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

test('one with webhooks may keep its Secret, and register what is its own', () => {
  const webhooks = [validating(ConfigMap, () => undefined)];
  const asked = operator(ConfigMap, { name: 'maps', webhooks, reconcile: () => ({}) });
  const objects = planOperatorAccount([asked], account);
  const rulesOf = (kind: string): unknown =>
    objects.find((one) => one.kind === kind && one.metadata.name === 'sites-webhooks')?.rules;
  assert.deepEqual(rulesOf('Role'), [
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['maps-webhooks'],
      verbs: ['get', 'update'],
    },
  ]);
  const configurations = {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations'],
  };
  assert.deepEqual(rulesOf('ClusterRole'), [
    { ...configurations, verbs: ['create'] },
    { ...configurations, resourceNames: ['maps'], verbs: ['get', 'patch'] },
  ]);
});
