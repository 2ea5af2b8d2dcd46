/** The world of the replicas of a hub: one operator, whose function is simulated. */
import { apiVersion, functionCrd, functionType, operatorCrd } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';
import { requiredRules } from '@fnlet/sdk/operator';
import type { TestCluster } from '@fnlet/testing';
import { hubGroup } from './hub-replica.ts';
import { Site, sites } from './site.ts';

export const namespace = 'default';

/** All that is there before the first replica. */
export function hubWorld(): KubeObject[] {
  const metadata = { namespace, name: 'sites' };
  const spec = { runtime: 'nodejs24', source: { inline: 'export default 1' } };
  const kind = { apiVersion: 'example.dev/v1', kind: 'Site' };
  const operator = {
    for: kind,
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    reconcile: { function: 'sites' },
    concurrency: 4,
    backoff: { cap: '20s' },
  };
  const account = { kind: 'ServiceAccount', namespace, name: 'default' };
  const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const hub = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: hubGroup };
  return [
    ...[functionCrd, operatorCrd, { ...Site.crd }],
    ...role('sites', requiredRules([sites]), account),
    ...role('hub', everything, hub),
    { apiVersion, kind: 'Function', metadata, spec },
    { apiVersion, kind: 'Operator', metadata, spec: operator },
  ];
}

function role(name: string, rules: readonly object[], subject: object): KubeObject[] {
  const group = 'rbac.authorization.k8s.io';
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
  const common = { apiVersion: `${group}/v1`, metadata: { name } };
  return [
    { ...common, kind: 'ClusterRole', rules },
    { ...common, kind: 'ClusterRoleBinding', roleRef, subjects: [subject] },
  ];
}

/** The Function serves: nobody else says so in this world. */
export async function serve({ client }: Pick<TestCluster, 'client'>): Promise<void> {
  const status = {
    revision: 'sites-1',
    conditions: [
      {
        ...{ type: 'RoutesReady', status: 'True', reason: 'Ready', message: '' },
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  const patch = { type: 'merge', patch: { status } } as const;
  const key = { namespace, name: 'sites' };
  await client.of<KubeObject>(functionType).patch(key, patch, { subresource: 'status' });
}
