import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from './answer.ts';
import { ConfigMap, Deployment, Namespace, Service } from './kinds/builtin-kinds.ts';
import { operator } from './operator.ts';
import { requiredRules } from './required-rules.ts';

test('an operator may read what it is for, owns and watches, and write what it owns', () => {
  const rules = requiredRules([
    operator(Namespace, {
      owns: [ConfigMap, Deployment.keep('status')],
      watches: [Service.mapTo(() => undefined)],
      reconcile: () => ({}),
    }),
  ]);
  const reading = ['get', 'list', 'watch'];
  assert.deepEqual(rules, [
    { apiGroups: [''], resources: ['namespaces', 'services'], verbs: reading },
    { apiGroups: [''], resources: ['namespaces/status'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['namespaces/finalizers'], verbs: ['update'] },
    {
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: [...reading, 'create', 'patch', 'delete'],
    },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: [...reading, 'create', 'patch', 'delete'],
    },
  ]);
});

test('a cleanup needs the right to take its finalizer away; several operators share their rules', () => {
  const plain = operator(ConfigMap, { reconcile: () => ({}) });
  const cleaning = operator(ConfigMap, { reconcile: () => ({}), cleanup: () => done() });
  const [first] = requiredRules([plain, cleaning]);
  assert.deepEqual(first, {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'list', 'watch', 'patch'],
  });
  assert.deepEqual(requiredRules([]), []);
});
