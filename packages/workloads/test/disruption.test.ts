import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KubeObject, resourcePath } from '@fnlet/machinery';
import { type Deployment, deploymentType } from '../src/deployment.ts';
import { type DisruptionBudget, disruptionBudgetType } from '../src/disruption-budget.ts';
import { type Node, nodeType } from '../src/node.ts';
import { isPodReady, type Pod, podType } from '../src/pod.ts';
import { Cluster, namespace } from './cluster.ts';

const selector = { matchLabels: { app: 'web' } };

function deployment(replicas: number): Deployment {
  const containers = [{ name: 'main', image: 'node', command: ['serve'] }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: { replicas, selector, template },
  };
}

function budget(spec: Partial<DisruptionBudget['spec']>): DisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace },
    spec: { selector, ...spec },
  };
}

function read(cluster: Cluster): Promise<DisruptionBudget | undefined> {
  return cluster.get<DisruptionBudget>(disruptionBudgetType, 'web');
}

async function untilAllowed(cluster: Cluster, count: number): Promise<DisruptionBudget> {
  return cluster.until(async () => {
    const found = await read(cluster);
    return found?.status?.disruptionsAllowed === count && found.status.observedGeneration === 1
      ? found
      : undefined;
  });
}

/** The answer to an eviction: its code and its reason. */
async function evict(cluster: Cluster, name: string): Promise<string> {
  const response = await cluster.pump(
    cluster.client.transport.request({
      method: 'POST',
      path: resourcePath(podType, { namespace, name, subresource: 'eviction' }),
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
    }),
  );
  return `${response.status} ${JSON.stringify(await cluster.pump(response.json()))}`;
}

async function readyPods(cluster: Cluster): Promise<readonly string[]> {
  const pods = await cluster.list<Pod>(podType);
  return pods.filter(isPodReady).map(({ metadata }) => metadata.name);
}

test('a budget lets Pods go one at a time, as their successors become ready', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment(3));
  await cluster.create(disruptionBudgetType, budget({ maxUnavailable: 1 }));
  const { status } = await untilAllowed(cluster, 1);
  assert.equal(status?.expectedPods, 3);
  assert.equal(status?.conditions?.[0]?.reason, 'SufficientPods');
  const [first = '', second = ''] = await readyPods(cluster);
  const answers = await Promise.all([evict(cluster, first), evict(cluster, second)]);
  const [allowed = '', refused = ''] = answers.toSorted();
  assert.match(allowed, /^201/);
  assert.match(refused, /^429.*budget web does not allow evicting pods currently/);
  const [third = ''] = await cluster.until(async () => {
    const ready = await readyPods(cluster);
    return ready.length === 3 ? ready : undefined;
  });
  const refilled = await untilAllowed(cluster, 1);
  assert.equal(refilled.status?.disruptedPods, undefined);
  assert.match(await evict(cluster, third), /^201/);
});

test('a budget at rest is not written again', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment(2));
  await cluster.create(disruptionBudgetType, budget({ minAvailable: '50%' }));
  const settled = await untilAllowed(cluster, 1);
  await cluster.clock.advance(200_000);
  const later = await read(cluster);
  assert.equal(later?.metadata.resourceVersion, settled.metadata.resourceVersion);
});

test('a budget over Pods of Jobs fails closed where it needs their scale', async () => {
  await using cluster = await new Cluster().start();
  const uid = 'f1';
  const ownerReferences = [
    { apiVersion: 'batch/v1', kind: 'Job', name: 'gone', uid, controller: true },
  ];
  const spec = { containers: [{ name: 'main', image: 'node', command: ['serve'] }] };
  const metadata = { name: 'p', namespace, labels: { app: 'web' }, ownerReferences };
  // Its owner is not there: this keeps the garbage collector from taking it along.
  const finalizers = ['example.com/hold'];
  await cluster.create<KubeObject>(podType, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, finalizers }, spec },
  });
  await cluster.create(disruptionBudgetType, budget({ maxUnavailable: 1 }));
  const failed = await cluster.until(async () => {
    const [condition] = (await read(cluster))?.status?.conditions ?? [];
    return condition?.reason === 'SyncFailed' ? condition : undefined;
  });
  assert.equal(failed.message, 'jobs.batch does not implement the scale subresource');
  assert.ok((await cluster.reasons('web')).includes('CalculateExpectedPodCountFailed'));
});

test('a budget asks the scale of custom kinds', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(customResourceDefinitionType, crowdDefinition);
  const crowd = await cluster.until(() =>
    cluster
      .create<KubeObject>(crowdType, {
        ...{ apiVersion: 'example.com/v1', kind: 'Crowd', metadata: { name: 'c', namespace } },
        spec: { replicas: 4 },
      })
      .catch(() => undefined),
  );
  const { uid = '' } = crowd.metadata;
  for (const name of ['a', 'b', 'c']) {
    await cluster.create<KubeObject>(podType, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...{ name, namespace, labels: { app: 'web' } },
        ownerReferences: [
          { apiVersion: 'example.com/v1', kind: 'Crowd', name: 'c', uid, controller: true },
        ],
      },
      spec: { containers: [{ name: 'main', image: 'node', command: ['serve'] }] },
    });
  }
  await cluster.create(disruptionBudgetType, budget({ maxUnavailable: '50%' }));
  const { status } = await untilAllowed(cluster, 1);
  assert.equal(status?.expectedPods, 4);
  assert.equal(status?.desiredHealthy, 2);
});

test('a budget counts the Pods that mirror Instances of Functions', async () => {
  await using cluster = await new Cluster().start();
  const labels = { app: 'web', 'fnlet.dev/revision': 'web-1' };
  const spec = { containers: [{ name: 'main', image: 'node' }], nodeName: 'laptop' };
  for (const name of ['a', 'b']) {
    await cluster.create<KubeObject>(podType, {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec },
    });
  }
  await cluster.create(disruptionBudgetType, budget({ minAvailable: 1 }));
  await untilAllowed(cluster, 0);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  for (const name of ['a', 'b']) {
    await cluster.pump(
      cluster.client
        .of<Pod>(podType)
        .patch(
          { namespace, name },
          { type: 'merge', patch: { status } },
          { subresource: 'status' },
        ),
    );
  }
  const found = await untilAllowed(cluster, 1);
  assert.equal(found.status?.expectedPods, 2);
});

test('Pods wait while the Node is cordoned, and run when it is not', async () => {
  await using cluster = await new Cluster().start();
  await cluster.until(() => cluster.get<Node>(nodeType, 'laptop'));
  const setCordon = (unschedulable: boolean) =>
    cluster.pump(
      cluster.client
        .of<Node>(nodeType)
        .patch(
          { namespace: '', name: 'laptop' },
          { type: 'merge', patch: { spec: { unschedulable } } },
        ),
    );
  await setCordon(true);
  await cluster.create(deploymentType, deployment(1));
  const waiting = await cluster.until(async () => {
    const [pod] = await cluster.list<Pod>(podType);
    return pod?.status?.conditions?.find(({ reason }) => reason === 'Unschedulable');
  });
  assert.equal(waiting.message, '0/1 nodes are available: 1 node(s) were unschedulable.');
  await setCordon(false);
  await cluster.until(async () => (await readyPods(cluster)).length === 1);
});

const customResourceDefinitionType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const crowdType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Crowd',
  plural: 'crowds',
  namespaced: true,
};

const crowdDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crowds.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Crowd', plural: 'crowds' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
        subresources: {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};
