/** Operators in a cluster: the hub runs in the controller that leads, with its rights alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@fnlet/base';
import { installCrds } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { defineKind, field } from '@fnlet/sdk/operator';
import {
  accountType,
  applyObject,
  awaitCondition,
  clusterRoleBindingType,
  clusterRoleType,
  configMapType,
  testNamespace as namespace,
  operatorType,
  clusterWaitMs as timeoutMs,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

const Site = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'Site', description: 'A page.' },
  spec: { text: field.text('The page.') },
  status: { length: field.integer('How long it is.') },
});
const siteType: ResourceType = {
  ...{ group: 'example.dev', version: 'v1', kind: 'Site', plural: 'sites', namespaced: true },
};

const source = `export default async (request) => {
  const { object } = await request.json();
  const { name } = object.metadata;
  const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: object.spec };
  return Response.json({ children: [child], status: { length: object.spec.text.length } });
};
`;

const reads = ['get', 'list', 'watch'];
const rules = [
  { apiGroups: ['example.dev'], resources: ['sites'], verbs: [...reads, 'patch'] },
  { apiGroups: ['example.dev'], resources: ['sites/status'], verbs: ['get', 'patch'] },
  { apiGroups: ['example.dev'], resources: ['sites/finalizers'], verbs: ['update'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: [...reads, 'create', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** What is to be done by whoever brings the operator: its kind, its account, what both may. */
async function bringSites(cluster: ClusterParts): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  await installCrds(cluster.client, [{ ...Site.crd }], { clock: systemClock, signal });
  await applyObject(cluster, accountType, { name: 'sites' });
  await applyObject(cluster, clusterRoleType, { name: 'sites', rules });
  await applyObject(cluster, clusterRoleBindingType, {
    ...{ name: 'sites', subjects: [{ kind: 'ServiceAccount', name: 'sites', namespace }] },
    roleRef: { apiGroup: clusterRoleType.group, kind: 'ClusterRole', name: 'sites' },
  });
  const spec = {
    for: { apiVersion: 'example.dev/v1', kind: 'Site' },
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    serviceAccountName: 'sites',
    reconcile: { runtime: 'nodejs24', source: { inline: source } },
  };
  await applyObject(cluster, operatorType, { name: 'sites', spec });
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

async function textIs(cluster: ClusterParts, name: string, text: string): Promise<void> {
  const maps = cluster.client.of<ConfigMap>(configMapType);
  await until(async () => (await maps.tryGet({ namespace, name }))?.data?.text === text, {
    what: `ConfigMap ${name} with ${text}`,
    timeoutMs,
  }).catch((error: unknown) => {
    throw new Error(cluster.output(), { cause: error });
  });
}

test('an Operator runs with the rights of its account, and goes on under the next controller', async () => {
  await using cluster = await ClusterParts.start();
  const first = await cluster.controller();
  await bringSites(cluster);
  await awaitCondition(cluster, operatorType, {
    ...{ name: 'sites', condition: 'PermissionsGranted', status: 'False' },
    says: 'may not list and watch sites.example.dev: give a ClusterRole',
  });
  await applyObject(cluster, clusterRoleType, {
    ...{ name: 'watch-sites', labels: { 'fnlet.dev/aggregate-to-watched': 'true' } },
    rules: [{ apiGroups: ['example.dev'], resources: ['sites'], verbs: reads }],
  });
  await awaitCondition(cluster, operatorType, { name: 'sites' });
  await applyObject(cluster, siteType, { name: 'one', spec: { text: 'hello' } });
  await textIs(cluster, 'one', 'hello');
  const explained = await cluster.api.cli(['operator', 'explain', 'sites', 'one']);
  assert.equal(explained.code, 0, explained.stderr + cluster.output());
  assert.match(explained.stdout, /sites\.\w+ .*[Cc]hanged|sites\.\w+/);
  const described = await cluster.api.cli(['operator', 'describe', 'sites']);
  assert.match(described.stdout, /RUN +OBJECT/);
  const [, run = ''] = /\n +(sites\.\S+) +/.exec(described.stdout) ?? [];
  const replayed = await cluster.api.cli(['operator', 'replay', run]);
  assert.match(replayed.stdout, /the same answer/, replayed.stderr);

  const second = await cluster.controller();
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  await first.stop('SIGKILL');
  await applyObject(cluster, siteType, { name: 'one', spec: { text: 'changed while nobody led' } });
  await textIs(cluster, 'one', 'changed while nobody led');

  await cluster.client.of(configMapType).delete({ namespace, name: 'one' });
  await textIs(cluster, 'one', 'changed while nobody led');
  await cluster.client.of(siteType).delete({ namespace, name: 'one' });
  await cluster.client.of(operatorType).delete({ namespace, name: 'sites' });
  const isGone = async (type: ResourceType, name: string): Promise<boolean> =>
    (await cluster.client.of(type).tryGet({ namespace, name })) === undefined;
  await until(() => isGone(operatorType, 'sites'), { what: 'the Operator to go', timeoutMs });
  await until(() => isGone(configMapType, 'one'), { what: 'the child to go', timeoutMs });
  assert.ok(await isGone(siteType, 'one'));
});
