import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@fnlet/client';
import { customMetricsGroup, externalMetricsGroup } from '@fnlet/server/cluster/rules';
import { startTestCluster } from '@fnlet/testing';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';
import { defaultValues } from './install-settings.ts';
import {
  type ApiServiceObject,
  checkMetricsOwners,
  judgeMetricsOwner,
  readMetricsOwner,
  wantsMetrics,
} from './metrics-owner.ts';
import { planInstall } from './plan-install.ts';

const namespace = 'fnlet-system';

function planned(settings: readonly string[]): ReturnType<typeof planInstall> {
  const wanted = Object.fromEntries(settings.map((path) => [path, true]));
  return planInstall({ namespace, values: { ...defaultValues, image: 'fnlet', ...wanted } });
}

function apiService(name: string, service: string): ApiServiceObject {
  const [version = '', ...group] = name.split('.');
  const [place, owner] = service.split('/');
  const own = { group: group.join('.'), version, groupPriorityMinimum: 100, versionPriority: 100 };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: { ...own, service: { namespace: place ?? '', name: owner ?? '' } },
  };
}

test('an installation does not take a group from whoever serves it', async () => {
  await using cluster = await startTestCluster();
  const client = createClient(cluster.transport(), { fieldManager: 'fnlet-install' });
  const { transport } = client;
  const { signal } = new AbortController();
  await using connection: ClusterConnection = {
    ...{ client, transport, signal },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const check = (settings: readonly string[]): Promise<void> =>
    checkMetricsOwners(connection, { namespace, planned: planned(settings) });
  const both = ['metricsApi.custom', 'metricsApi.external'];
  await check(both);
  const type = clusterTypes.apiService;
  // The adapter of Prometheus has another version of the group than is preferred.
  const other = apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter');
  await client.of(type).apply(other);
  await assert.rejects(check(both), /found APIService "v1beta1.custom.* of monitoring\/prom/);
  await assert.rejects(check(['metricsApi.custom']), /expected none/);
  await check(['metricsApi.external']);
  await check([]);
  const found = await readMetricsOwner(connection, customMetricsGroup, namespace);
  assert.equal(found?.metadata.name, 'v1beta1.custom.metrics.k8s.io');
  const ours = planned(['metricsApi.external']).find(({ kind }) => kind === 'APIService');
  assert.ok(ours !== undefined);
  await client.of(type).apply(ours);
  await check(['metricsApi.external']);
});

test('doctor says who serves a group, and what to do where it is not who should', () => {
  const judge = (service: ApiServiceObject | undefined, isWanted: boolean) => {
    const owner = { group: externalMetricsGroup, apiService: service, isWanted } as const;
    const { check, state, found, remedy } = judgeMetricsOwner(owner, namespace);
    assert.equal(check, 'external metrics');
    assert.equal(remedy === undefined, state === 'ok');
    return `${state}: ${found}`;
  };
  const keda = apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-metrics-apiserver');
  const ours = apiService('v1beta1.external.metrics.k8s.io', `${namespace}/fnlet-api`);
  const answered = (status: 'True' | 'False', message: string): ApiServiceObject => {
    const lastTransitionTime = '2026-03-01T12:00:00Z';
    const condition = { type: 'Available', status, reason: 'Any', message, lastTransitionTime };
    return { ...ours, status: { conditions: [condition] } };
  };
  assert.equal(judge(undefined, false), 'ok: nobody serves external.metrics.k8s.io');
  assert.equal(judge(undefined, true), 'warn: no APIService for external.metrics.k8s.io');
  assert.equal(judge(keda, false), 'ok: served by keda/keda-metrics-apiserver');
  assert.equal(judge(keda, true), 'warn: served by keda/keda-metrics-apiserver');
  assert.equal(judge(answered('True', 'all checks passed'), true), 'ok: served by Fnlet');
  assert.equal(judge(answered('False', 'no route'), true), 'warn: Fnlet is not heard: no route');
  assert.match(judge(ours, true), /warn: .*has not asked yet/);
});

test('what an installation is to serve stands in the Deployment of its controller', () => {
  const controller = (settings: readonly string[]) =>
    planned(settings).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'fnlet-controller',
    );
  assert.equal(wantsMetrics(undefined, customMetricsGroup), false);
  assert.equal(wantsMetrics(controller([]), customMetricsGroup), false);
  assert.equal(wantsMetrics(controller(['metricsApi.custom']), customMetricsGroup), true);
  assert.equal(wantsMetrics(controller(['metricsApi.custom']), externalMetricsGroup), false);
});
