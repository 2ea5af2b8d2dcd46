import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodRuntime, UsageReading } from '@fnlet/apiserver';
import { findCondition } from '@fnlet/machinery';
import {
  type AutoscalerSpec,
  autoscalerType,
  type HorizontalPodAutoscaler,
} from '../src/autoscaling/horizontal-pod-autoscaler.ts';
import { type Deployment, deploymentType } from '../src/deployment.ts';
import { Cluster, namespace } from './cluster.ts';

const unsupported = (): never => assert.fail('nobody asks for this here');

/** Every container uses so many cores. */
class Load implements PodRuntime {
  cores = 0;
  readonly logs = unsupported;
  readonly exec = unsupported;
  readonly attach = unsupported;
  readonly portForward = unsupported;
  cluster: Cluster | undefined;

  readUsage(): Promise<UsageReading> {
    const { clock, containers } = this.cluster ?? assert.fail('no cluster');
    const pods = containers.running.map(({ start }) => ({
      namespace,
      name: start.key.name,
      containers: [{ name: 'main', cores: this.cores, memoryBytes: 64 * 2 ** 20 }],
    }));
    const node = { name: 'laptop', cores: 0, memoryBytes: 0 };
    return Promise.resolve({ atMs: clock.now(), windowMs: 15_000, node, pods });
  }
}

async function start(
  t: { after(end: () => Promise<void>): void },
  resources: object = { requests: { cpu: '100m' } },
): Promise<{ readonly cluster: Cluster; readonly load: Load }> {
  const load = new Load();
  const cluster = await new Cluster({}, load).start();
  load.cluster = cluster;
  t.after(() => cluster[Symbol.asyncDispose]());
  await cluster.create<Deployment>(deploymentType, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'node', command: ['serve'], resources }] },
      },
    },
  });
  await cluster.until(() => cluster.containers.running.length === 1);
  // Its CPU says something from now on.
  await cluster.clock.advance(300_000);
  return { cluster, load };
}

function autoscale(cluster: Cluster, spec: Partial<AutoscalerSpec> = {}): Promise<object> {
  return cluster.create<HorizontalPodAutoscaler>(autoscalerType, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      ...{ minReplicas: 1, maxReplicas: 5 },
      metrics: [cpu(50)],
      ...spec,
    },
  });
}

function cpu(averageUtilization: number): NonNullable<AutoscalerSpec['metrics']>[number] {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
  };
}

function said(cluster: Cluster, type: string, reason: string): Promise<string> {
  return cluster.until(async () => {
    const found = await cluster.get<HorizontalPodAutoscaler>(autoscalerType, 'web');
    const condition = findCondition(found?.status?.conditions, type);
    return condition?.reason === reason ? condition.message : undefined;
  }, 60_000);
}

async function replicas(cluster: Cluster): Promise<number> {
  return (await cluster.get<Deployment>(deploymentType, 'web'))?.spec.replicas ?? 0;
}

test('a Deployment grows with its use of CPU, and shrinks five minutes after it', async (t) => {
  const { cluster, load } = await start(t);
  load.cores = 0.12;
  await autoscale(cluster);
  await said(cluster, 'AbleToScale', 'SucceededRescale');
  assert.equal(await replicas(cluster), 3);
  const { status } = (await cluster.get<HorizontalPodAutoscaler>(autoscalerType, 'web')) ?? {};
  assert.deepEqual(status?.currentMetrics, [
    {
      type: 'Resource',
      resource: { name: 'cpu', current: { averageUtilization: 120, averageValue: '120m' } },
    },
  ]);
  load.cores = 0.01;
  await said(cluster, 'AbleToScale', 'ScaleDownStabilized');
  await cluster.clock.advance(240_000);
  assert.equal(await replicas(cluster), 3);
  await cluster.until(async () => (await replicas(cluster)) === 1, 120_000);
  assert.deepEqual(
    (await cluster.reasons('web')).filter((reason) => reason === 'SuccessfulRescale').length,
    2,
  );
});

test('an autoscaler that is settled writes nothing', async (t) => {
  const { cluster, load } = await start(t);
  load.cores = 0.05;
  await autoscale(cluster);
  await said(cluster, 'ScalingActive', 'ValidMetricFound');
  await cluster.clock.advance(60_000);
  const before = await cluster.get(autoscalerType, 'web');
  await cluster.clock.advance(120_000);
  const after = await cluster.get(autoscalerType, 'web');
  assert.equal(after?.metadata.resourceVersion, before?.metadata.resourceVersion);
});

test('what a target lacks is said in the words of kubernetes', async (t) => {
  const { cluster } = await start(t, {});
  await autoscale(cluster);
  assert.match(
    await said(cluster, 'ScalingActive', 'FailedGetResourceMetric'),
    /^the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in container main of Pod web-/,
  );
});

test('a target that is not there, or is nothing to scale, is told', async (t) => {
  const { cluster } = await start(t);
  const gone = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' };
  await autoscale(cluster, { scaleTargetRef: gone });
  const unable = "the HPA controller was unable to get the target's current scale:";
  const missing = await said(cluster, 'AbleToScale', 'FailedGetScale');
  assert.match(missing, new RegExp(`^${unable} .*"gone" not found`));
  const unknown = { apiVersion: 'example.com/v1', kind: 'Site', name: 'x' };
  await cluster.patch(autoscalerType, 'web', { spec: { scaleTargetRef: unknown } });
  await cluster.until(async () => {
    const message = await said(cluster, 'AbleToScale', 'FailedGetScale');
    return message === `${unable} no matches for kind "Site" in group "example.com"`;
  });
});

test('a target at zero is left alone until somebody wakes it', async (t) => {
  const { cluster, load } = await start(t);
  await cluster.patch(deploymentType, 'web', { spec: { replicas: 0 } });
  load.cores = 5;
  await autoscale(cluster, { minReplicas: 2 });
  await said(cluster, 'ScalingActive', 'ScalingDisabled');
  assert.equal(await replicas(cluster), 0);
  await cluster.patch(deploymentType, 'web', { spec: { replicas: 1 } });
  await cluster.until(async () => (await replicas(cluster)) === 2, 60_000);
});
