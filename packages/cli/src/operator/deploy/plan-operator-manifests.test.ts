import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import {
  ConfigMap,
  cel,
  Deployment,
  defineKind,
  done,
  field,
  Namespace,
  type Operator,
  operator,
  Secret,
  validating,
} from '@fnlet/sdk/operator';
import {
  type OperatorDeployment,
  operatorName,
  planOperatorManifests,
} from './plan-operator-manifests.ts';

const Site = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'Site', description: 'A site.' },
  spec: { html: field.text('The page.') },
});
const sites = operator(Site, {
  when: cel('object.spec.html != oldObject.spec.html'),
  select: 'tier=web',
  owns: [ConfigMap, Deployment.keep('status.readyReplicas', 'spec').select('app')],
  watches: [
    Secret.keep('metadata.labels').mapTo('object.metadata.labels.site'),
    ConfigMap.mapTo(() => undefined),
  ],
  concurrency: 4,
  deadline: '20s',
  backoff: { base: '1s', attempts: 5 },
  resync: '1h',
  reconcile: () => ({}),
  cleanup: () => done(),
});

function plan(
  operators: Readonly<Record<string, Operator>>,
  more: Partial<OperatorDeployment> = {},
): KubeObject[] {
  return planOperatorManifests({
    namespace: 'apps',
    operators: Object.entries(operators).map(([exportName, operator]) => ({
      ...{ exportName, operator },
    })),
    runtime: 'nodejs24',
    module: 'operators/site',
    source: { files: { 'operators/site.ts': 'text' } },
    ...more,
  });
}

test('planOperatorManifests() says all that an operator declares, and grants all that it needs', () => {
  const objects = plan({ default: sites }, { dependencies: '{}' });
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '*'}/${metadata.name}`),
    [
      'CustomResourceDefinition */sites.example.dev',
      'ServiceAccount apps/sites',
      'ClusterRole */apps:sites',
      'ClusterRoleBinding */apps:sites',
      'Operator apps/sites',
    ],
  );
  assert.deepEqual(objects.at(-1)?.spec, {
    for: { apiVersion: 'example.dev/v1', kind: 'Site' },
    owns: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        keep: ['status.readyReplicas', 'spec'],
        selector: 'app',
      },
    ],
    watches: [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        keep: ['metadata.labels'],
        map: 'object.metadata.labels.site',
      },
      { apiVersion: 'v1', kind: 'ConfigMap' },
    ],
    when: { cel: 'object.spec.html != oldObject.spec.html' },
    select: 'tier=web',
    finalize: true,
    concurrency: 4,
    deadline: '20s',
    resync: '1h',
    backoff: { base: '1s', attempts: 5 },
    fieldManager: 'sites.example.dev',
    reconcile: {
      runtime: 'nodejs24',
      handler: 'operators/site.default',
      source: { files: { 'operators/site.ts': 'text' } },
      dependencies: '{}',
    },
    serviceAccountName: 'sites',
  });
});

test('an operator that says little is left to what a hub does by itself', () => {
  const quiet = operator(ConfigMap, { reconcile: () => ({}) });
  const [operatorObject] = plan({ maps: quiet }, { serviceAccountName: 'mine' });
  assert.deepEqual(operatorObject?.spec, {
    for: { apiVersion: 'v1', kind: 'ConfigMap' },
    fieldManager: 'configmaps',
    reconcile: {
      runtime: 'nodejs24',
      handler: 'operators/site.maps',
      source: { files: { 'operators/site.ts': 'text' } },
    },
    serviceAccountName: 'mine',
  });
});

test('one that keeps to namespaces is granted its rights there only', () => {
  const inTwo = operator(ConfigMap, { namespaces: ['a', 'b'], reconcile: () => ({}) });
  const roles = plan({ default: inTwo }).filter(({ kind }) => /Role$/.test(kind));
  assert.deepEqual(
    roles.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name]),
    [
      ['Role', 'a', 'configmaps'],
      ['Role', 'b', 'configmaps'],
    ],
  );
});

test('several operators have names and accounts of their own', () => {
  const named = operator(ConfigMap, { name: 'maps', reconcile: () => ({}) });
  const kinds = plan({ default: sites, maps: named }).filter(({ kind }) => kind === 'Operator');
  assert.deepEqual(
    kinds.map(({ metadata, spec }) => [
      metadata.name,
      Reflect.get(Object(spec), 'serviceAccountName'),
    ]),
    [
      ['sites', 'sites'],
      ['maps', 'maps'],
    ],
  );
  assert.equal(
    operatorName(operator(Namespace, { name: 'A.b', reconcile: () => ({}) })),
    'namespaces',
  );
});

test('what cannot be deployed is told, with what to do', () => {
  const twice = { default: sites, again: operator(Site, { reconcile: () => ({}) }) };
  assert.throws(() => plan(twice), { message: /exports "default" and "again"/, remedy: /name:/ });
  assert.throws(() => plan(twice, { name: 'one' }), /found 2 operators, expected one/);
  const asked = operator(ConfigMap, {
    webhooks: [validating(ConfigMap, () => undefined)],
    reconcile: () => ({}),
  });
  assert.throws(() => plan({ default: asked }), {
    message: /found webhooks/,
    remedy: /operator run/,
  });
});
