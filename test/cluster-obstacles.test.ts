/** Functions whose Pods do not start say why, in a cluster whose controller has only its rights. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ResourceType } from '@fnlet/machinery';
import {
  applyObject,
  awaitCondition,
  clusterWaitMs,
  functionType,
  secretType,
  testNamespace,
} from './cluster-objects.ts';
import { ClusterParts, type GatewayPart } from './cluster-parts.ts';
import { until } from './until.ts';

const webhookType: ResourceType = {
  ...{ group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false },
  ...{ kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations' },
};
const nodeType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false },
};
const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};
const eventType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
};

let cluster: ClusterParts;
let gateway: GatewayPart;

before(async () => {
  cluster = await ClusterParts.start();
  await cluster.controller();
  gateway = await cluster.gateway();
});

after(() => cluster[Symbol.asyncDispose]());

/** The API refuses what has these labels, as a quota or a policy would, until this is called. */
async function refuse(
  name: string,
  what: {
    readonly group: string;
    readonly resource: string;
    readonly labels: Readonly<Record<string, string>>;
  },
): Promise<() => Promise<void>> {
  const { group, resource, labels } = what;
  const rule = { apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: ['*'] };
  const webhook = {
    ...{ name: `${name}.example.com`, sideEffects: 'None', admissionReviewVersions: ['v1'] },
    // Nobody listens there.
    clientConfig: { url: 'https://127.0.0.1:1/' },
    ...{ rules: [rule], failurePolicy: 'Fail', objectSelector: { matchLabels: labels } },
  };
  await applyObject(cluster, webhookType, { name, webhooks: [webhook] });
  return async () => {
    await cluster.client.of(webhookType).delete({ namespace: '', name });
  };
}

async function apply(name: string, spec: object): Promise<void> {
  const source = { inline: `export default () => '${name}';` };
  await applyObject(cluster, functionType, {
    name,
    spec: { runtime: 'nodejs24', source, scale: { idleAfter: '10m' }, ...spec },
  });
}

async function call(name: string): Promise<void> {
  const answer = await fetch(`${gateway.url}/${testNamespace}/${name}`);
  const text = await answer.text();
  assert.deepEqual([answer.status, text], [200, name], cluster.output());
}

/** The conditions say it, and an Event. */
async function says(name: string, reason: string, text: string): Promise<void> {
  const wanted = { name, status: 'False', reason, says: text };
  await awaitCondition(cluster, functionType, wanted);
  await awaitCondition(cluster, functionType, { ...wanted, condition: 'ExecutorReady' });
  const fieldSelector = `involvedObject.name=${name},reason=${reason},type=Warning`;
  await until(
    async () => (await cluster.client.of(eventType).list({ fieldSelector })).items.length > 0,
    { what: `an Event ${reason} of ${name}`, timeoutMs: clusterWaitMs },
  );
}

async function isWell(name: string): Promise<void> {
  await awaitCondition(cluster, functionType, { name });
  await awaitCondition(cluster, functionType, { name, condition: 'ExecutorReady' });
  await call(name);
}

test('no node takes the Pods of a function, until one does', async () => {
  await apply('picky', { pod: { nodeSelector: { room: 'plenty' } } });
  await says('picky', 'Unschedulable', 'look at spec.pod');
  const nodes = cluster.client.of(nodeType);
  const [node] = (await nodes.list()).items;
  assert.ok(node !== undefined);
  const patch = { metadata: { labels: { room: 'plenty' } } };
  await nodes.patch({ namespace: '', name: node.metadata.name }, { type: 'merge', patch });
  await isWell('picky');
});

test('the API refuses the Deployment of a function, until it does not', async () => {
  const labels = { 'fnlet.dev/function': 'barred' };
  const allow = await refuse('no-deployments', { group: 'apps', resource: 'deployments', labels });
  await apply('barred', { executor: 'deployment' });
  await says('barred', 'FailedCreate', 'no-deployments.example.com');
  await allow();
  await isWell('barred');
});

test('the API refuses the Pods of a function, as a quota would, until it does not', async () => {
  const labels = { 'fnlet.dev/function': 'capped' };
  const allow = await refuse('no-pods', { group: '', resource: 'pods', labels });
  await apply('capped', { executor: 'deployment' });
  await says('capped', 'FailedCreate', 'no-pods.example.com');
  await allow();
  await isWell('capped');
});

test('the API refuses the warm Pods of a pool, until it does not', async () => {
  const labels = { 'fnlet.dev/pool': 'nodejs24' };
  const allow = await refuse('no-pools', { group: '', resource: 'pods', labels });
  await apply('pooled', { executor: 'pool' });
  await says('pooled', 'FailedCreate', 'no-pools.example.com');
  await allow();
  await isWell('pooled');
});

test('a function that is woken and cannot mount something says so, until it can', async () => {
  const data = { word: Buffer.from('sesame').toString('base64') };
  await applyObject(cluster, secretType, { name: 'keys', data });
  await apply('mounting', {
    mounts: [{ secret: 'keys', path: '/etc/keys' }],
    scale: { idleAfter: '1s' },
  });
  await isWell('mounting');
  const labelSelector = 'fnlet.dev/function=mounting';
  await until(
    async () => (await cluster.client.of(podType).list({ labelSelector })).items.length === 0,
    {
      ...{ what: 'it to sleep', timeoutMs: clusterWaitMs },
    },
  );
  await cluster.client.of(secretType).delete({ namespace: testNamespace, name: 'keys' });
  const woken = fetch(`${gateway.url}/${testNamespace}/mounting`);
  // The new code would lack it, too; what runs says what its Pods lack.
  const mount = { name: 'mounting', status: 'False', says: 'Make the Secret' };
  await awaitCondition(cluster, functionType, {
    ...{ ...mount, condition: 'ExecutorReady', reason: 'FailedMount' },
  });
  await awaitCondition(cluster, functionType, {
    ...mount,
    says: '',
    reason: 'EnvironmentNotFound',
  });
  await applyObject(cluster, secretType, { name: 'keys', data });
  assert.equal((await woken).status, 200);
  await isWell('mounting');
});
