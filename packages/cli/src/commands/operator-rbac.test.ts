import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOperator } from '@fnlet/api';
import { planAccountOf } from './operator-rbac.ts';

const access = [
  { apiGroups: ['example.dev'], resources: ['sites'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'], namespace: 'web' },
];

function operatorAs(serviceAccountName?: string) {
  return parseOperator({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Operator' },
    metadata: { name: 'sites', namespace: 'team' },
    spec: {
      for: { apiVersion: 'example.dev/v1', kind: 'Site' },
      reconcile: { function: 'sites' },
      ...{ concurrency: 10, deadline: '10s', resync: '10h' },
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    },
  });
}

function names(objects: ReturnType<typeof planAccountOf>): string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
}

test('planAccountOf() has a role in each place in which something has to be allowed', () => {
  assert.deepEqual(names(planAccountOf(operatorAs('own'), access)), [
    'ServiceAccount team/own',
    'ClusterRole undefined/team:sites',
    'ClusterRoleBinding undefined/team:sites',
    'Role web/sites',
    'RoleBinding web/sites',
  ]);
});

test('planAccountOf() leaves the account alone that every namespace has', () => {
  assert.deepEqual(names(planAccountOf(operatorAs(), access.slice(1))), [
    'Role web/sites',
    'RoleBinding web/sites',
  ]);
  assert.equal(names(planAccountOf(operatorAs(), [], 'other'))[0], 'ServiceAccount team/other');
});
