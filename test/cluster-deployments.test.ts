/** Functions that have Pods of their own, in a cluster whose controller has no more than its rights. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import { ClusterParts, type GatewayPart } from './cluster-parts.ts';
import { until } from './until.ts';

/** A machine with one or two cores starts all of these beside other tests. */
const timeoutMs = 60_000;
const namespace = 'default';

function typeOf(apiVersion: string, kind: string, plural: string): ResourceType {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, kind, plural, namespaced: true };
}

const functionType = typeOf('fnlet.dev/v1alpha1', 'Function', 'functions');
const deploymentType = typeOf('apps/v1', 'Deployment', 'deployments');
const secretType = typeOf('v1', 'Secret', 'secrets');
const configMapType = typeOf('v1', 'ConfigMap', 'configmaps');
const accountType = typeOf('v1', 'ServiceAccount', 'serviceaccounts');
const podType = typeOf('v1', 'Pod', 'pods');

interface Told extends KubeObject {
  readonly spec?: JsonObject;
  readonly status?: { readonly revision?: string; readonly conditions?: readonly Condition[] };
}

let cluster: ClusterParts;
let gateway: GatewayPart;

before(async () => {
  cluster = await ClusterParts.start();
  await cluster.controller();
  gateway = await cluster.gateway();
});

after(() => cluster[Symbol.asyncDispose]());

async function apply(type: ResourceType, name: string, content: object): Promise<void> {
  const { group, version, kind } = type;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const object = { apiVersion, kind, metadata: { name, namespace }, ...content };
  await cluster.client.of<KubeObject>(type).apply(object, { force: true });
}

async function get(type: ResourceType, name: string): Promise<Told | undefined> {
  return await cluster.client.of<Told>(type).tryGet({ namespace, name });
}

async function conditionOf(name: string, wanted: string): Promise<Condition | undefined> {
  const found = await get(functionType, name);
  return found?.status?.conditions?.find(({ type }) => type === wanted);
}

async function list(type: ResourceType): Promise<readonly unknown[]> {
  const { items } = await cluster.client.of<Told>(type).list();
  return items.map(({ kind, metadata: { name, labels }, status }) => ({
    kind,
    name,
    labels,
    status,
  }));
}

/** Waits until the condition Ready of a Function has this status. */
async function waitReady(name: string, status: 'True' | 'False' = 'True'): Promise<Condition> {
  let last: Condition | undefined;
  const isSo = async (): Promise<Condition | undefined> => {
    last = await conditionOf(name, 'Ready');
    return last?.status === status ? last : undefined;
  };
  const what = `Ready of ${name} to be ${status}`;
  return await until(isSo, { what, timeoutMs }).catch(async (error: unknown) => {
    const found = [last, ...(await list(deploymentType)), ...(await list(podType))];
    throw new Error(`${JSON.stringify(found, undefined, 1)}\n${cluster.output()}`, {
      cause: error,
    });
  });
}

async function call(name: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/${namespace}/${name}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${text}\n${cluster.output()}`);
  return text;
}

async function deploymentOf(name: string): Promise<Told | undefined> {
  const revision = (await get(functionType, name))?.status?.revision ?? '';
  return await get(deploymentType, revision);
}

const readsFiles = `
import { readFileSync } from 'node:fs';
const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
export default () => {
  const claims = JSON.parse(Buffer.from(readFileSync(token, 'utf8').split('.')[1], 'base64url'));
  return {
    secret: readFileSync('/etc/secret/key', 'utf8'),
    settings: readFileSync('/etc/settings/named', 'utf8'),
    subject: claims.sub,
    api: process.env.KUBERNETES_SERVICE_PORT !== undefined,
    word: process.env.WORD,
  };
};
`;

test('a function with mounts, an account, limits and an image answers, sleeps and wakes', async () => {
  await apply(secretType, 'keys', { stringData: { key: 'sesame', word: 'open' } });
  await apply(configMapType, 'settings', { data: { one: 'first' } });
  await apply(accountType, 'worker', {});
  await apply(functionType, 'own', {
    spec: {
      runtime: 'nodejs24',
      source: { inline: readsFiles },
      env: [{ name: 'WORD', valueFrom: { secretKeyRef: { name: 'keys', key: 'word' } } }],
      mounts: [
        { secret: 'keys', path: '/etc/secret' },
        { configMap: 'settings', path: '/etc/settings', items: [{ key: 'one', path: 'named' }] },
      ],
      serviceAccountName: 'worker',
      resources: { requests: { cpu: '20m' }, limits: { memory: '512Mi' } },
      imageOverride: 'registry.example/node:24',
      pod: { hostAliases: [{ ip: '10.0.0.9', hostnames: ['db'] }], nodeSelector: {} },
      scale: { idleAfter: '3s' },
    },
  });
  await waitReady('own');
  assert.deepEqual(JSON.parse(await call('own')), {
    ...{ secret: 'sesame', settings: 'first', word: 'open', api: true },
    subject: `system:serviceaccount:${namespace}:worker`,
  });
  const executor = await conditionOf('own', 'ExecutorReady');
  assert.deepEqual([executor?.status, executor?.reason], ['True', 'Deployment']);
  assert.match(executor?.message ?? '', /spec.mounts, spec.serviceAccountName, spec.resources/);

  const asleep = async () => (await deploymentOf('own'))?.spec?.replicas === 0;
  await until(asleep, { what: 'its Deployment to have no Pods', timeoutMs });
  assert.match(await call('own'), /sesame/);
  assert.equal((await deploymentOf('own'))?.spec?.replicas, 1);
});

test('a Deployment that somebody deletes or changes is back, and calls go on', async () => {
  await apply(functionType, 'steady', {
    spec: {
      runtime: 'nodejs24',
      source: { inline: "export default () => 'here';" },
      executor: 'deployment',
      scale: { min: 2 },
    },
  });
  await waitReady('steady');
  const before = await until(() => deploymentOf('steady'), { what: 'it', timeoutMs });
  const { name, uid } = before.metadata;
  const deployments = cluster.client.of<Told>(deploymentType);
  await deployments.patch(
    { namespace, name },
    { type: 'merge', patch: { spec: { replicas: 0, minReadySeconds: 3 } } },
  );
  await until(async () => (await deploymentOf('steady'))?.spec?.replicas === 2, {
    ...{ what: 'its Pods to be as many as before', timeoutMs },
  });
  assert.equal(await call('steady'), 'here');
  await deployments.delete({ namespace, name });
  await until(
    async () => {
      const found = await deploymentOf('steady');
      return found !== undefined && found.metadata.uid !== uid;
    },
    { what: 'another Deployment', timeoutMs },
  );
  assert.equal(await call('steady'), 'here');

  const serviceType = typeOf('v1', 'Service', 'services');
  const services = cluster.client.of<Told>(serviceType);
  const patch = { spec: { selector: { theirs: 'x' }, ports: [{ name: 'http', port: 99 }] } };
  for (const service of [name, 'steady']) {
    const key = { namespace, name: service };
    const { selector, ports } = (await services.get(key)).spec ?? {};
    await services.patch(key, { type: 'merge', patch });
    await until(
      async () => {
        const { spec } = await services.get(key);
        return JSON.stringify([spec?.selector, spec?.ports]) === JSON.stringify([selector, ports]);
      },
      { what: `the Service ${service} to be as it was`, timeoutMs },
    );
  }
});

const autoscalerType = typeOf(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);

/** Pods of the Deployment that have code, and how many it is to have. */
async function sizeOf(name: string): Promise<string> {
  const deployment = await deploymentOf(name);
  const labelSelector = `fnlet.dev/revision=${deployment?.metadata.name},fnlet.dev/instance`;
  const { items } = await cluster.client.of<Told>(podType).list({ labelSelector });
  const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return `${living.length} of ${deployment?.spec?.replicas}`;
}

async function untilSize(name: string, wanted: string): Promise<void> {
  let last = '';
  const isSo = async (): Promise<boolean> => {
    last = await sizeOf(name);
    return last === wanted;
  };
  await until(isSo, { what: `${name} to have ${wanted} Pods`, timeoutMs }).catch(
    (error: unknown) => {
      throw new Error(`found ${last}\n${cluster.output()}`, { cause: error });
    },
  );
}

test('what another scaler says holds while the function is awake, and no longer', async () => {
  const spec = {
    runtime: 'nodejs24',
    source: { inline: "export default () => 'here';" },
    executor: 'deployment',
  };
  await apply(functionType, 'shared', { spec: { ...spec, scale: { idleAfter: '10m' } } });
  await waitReady('shared');
  assert.equal(await call('shared'), 'here');
  await untilSize('shared', '1 of 1');
  const { name } = (await deploymentOf('shared'))?.metadata ?? { name: '' };
  // As kubectl scale does.
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale`;
  const answer = await cluster.client.transport.request({
    ...{ method: 'PATCH', path, contentType: 'application/merge-patch+json' },
    body: { spec: { replicas: 3 } },
  });
  assert.equal(answer.status, 200);
  await untilSize('shared', '3 of 3');
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  await apply(autoscalerType, 'shared', {
    spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 2 },
  });
  await untilSize('shared', '2 of 2');
  assert.equal(await call('shared'), 'here');
  // What is not the number is put back all the same, and the number stays.
  const deployments = cluster.client.of<Told>(deploymentType);
  const labels = { 'fnlet.dev/function': null };
  await deployments.patch({ namespace, name }, { type: 'merge', patch: { metadata: { labels } } });
  await until(
    async () =>
      (await deploymentOf('shared'))?.metadata.labels?.['fnlet.dev/function'] === 'shared',
    { what: 'its label to be back', timeoutMs },
  );
  assert.equal(await sizeOf('shared'), '2 of 2');
  await apply(functionType, 'shared', { spec: { ...spec, scale: { idleAfter: '1s' } } });
  await untilSize('shared', '0 of 0');
  await apply(functionType, 'shared', { spec: { ...spec, scale: { idleAfter: '10m' } } });
  assert.equal(await call('shared'), 'here');
  await untilSize('shared', '2 of 2');
});

test('new code takes over, and the Deployment before has no Pods', async () => {
  const spec = { runtime: 'nodejs24', executor: 'deployment', scale: { min: 1 } };
  const inline = (text: string) => ({ inline: `export default () => '${text}';` });
  await apply(functionType, 'edited', { spec: { ...spec, source: inline('one') } });
  await waitReady('edited');
  const first = (await deploymentOf('edited'))?.metadata.name ?? '';
  await apply(functionType, 'edited', { spec: { ...spec, source: inline('two') } });
  await until(async () => (await call('edited')) === 'two', { what: 'the new code', timeoutMs });
  await until(async () => (await get(deploymentType, first))?.spec?.replicas === 0, {
    ...{ what: 'the Deployment before to be empty', timeoutMs },
  });
  await until(
    async () => {
      const labelSelector = `fnlet.dev/revision=${first}`;
      return (await cluster.client.of(podType).list({ labelSelector })).items.length === 0;
    },
    { what: 'its Pods to be gone', timeoutMs },
  );
});

test('a pool is refused what its Pods cannot take, with what to do', async () => {
  await apply(functionType, 'unfit', {
    spec: {
      runtime: 'nodejs24',
      source: { inline: "export default () => 'here';" },
      executor: 'pool',
      mounts: [{ secret: 'keys', path: '/etc/secret' }],
    },
  });
  const ready = await waitReady('unfit', 'False');
  assert.equal(ready.reason, 'ExecutorUnfit');
  assert.match(ready.message ?? '', /found spec.mounts, expected none .* auto or deployment/);
  assert.equal((await conditionOf('unfit', 'ExecutorReady'))?.status, 'False');
});

test('only Gateways and controllers reach functions, whatever somebody does to the policy', async () => {
  const policyType = typeOf('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies');
  const policies = cluster.client.of<Told>(policyType);
  const key = { namespace, name: 'fnlet-functions' };
  const before = await get(policyType, key.name);
  const wanted = JSON.stringify(before?.spec);
  assert.deepEqual(before?.spec?.podSelector, {
    matchLabels: { 'app.kubernetes.io/managed-by': 'fnlet' },
  });
  assert.match(wanted, /"values":\["fnlet-gateway","fnlet-controller"\]/);
  // Warm Pods, those of functions, and none that are not Fnlet's.
  const labelSelector = 'fnlet.dev/function';
  for (const { metadata } of (await cluster.client.of(podType).list({ labelSelector })).items) {
    assert.equal(metadata.labels?.['app.kubernetes.io/managed-by'], 'fnlet');
  }
  await policies.patch(key, { type: 'merge', patch: { spec: { ingress: [{}] } } });
  const isBack = async () => JSON.stringify((await get(policyType, key.name))?.spec) === wanted;
  await until(isBack, { what: 'the policy to be as it was', timeoutMs });
  await policies.delete(key);
  await until(isBack, { what: 'the policy to be back', timeoutMs });
});

test('what Pods mount is back when somebody deletes it', async () => {
  const labelSelector = 'app.kubernetes.io/managed-by=fnlet';
  const client = cluster.client.of<Told>(configMapType);
  const mounted = async () => {
    const { items } = await client.list({ labelSelector });
    const own = items.filter((item) => item.metadata.namespace === namespace);
    return own.filter(({ metadata: { name } }) => /^fnlet-(authority|runner-)/.test(name));
  };
  const before = await mounted();
  assert.equal(before.length, 3, 'an authority, and programs for Node and for Python');
  for (const { metadata } of before) await client.delete({ namespace, name: metadata.name });
  const gone = new Set(before.map(({ metadata }) => metadata.uid));
  await until(
    async () => (await mounted()).filter(({ metadata }) => !gone.has(metadata.uid)).length === 3,
    { what: 'all of them to be back', timeoutMs },
  );
  const authority = { namespace, name: 'fnlet-authority' };
  const patch = { data: { 'ca.crt': 'somebody else', more: 'theirs' } };
  await client.patch(authority, { type: 'merge', patch });
  const isRight = async () => {
    const { data } = await cluster.client
      .of<{ data?: JsonObject } & KubeObject>(configMapType)
      .get(authority);
    assert.equal(data?.more, 'theirs');
    return String(data?.['ca.crt']).startsWith('-----BEGIN');
  };
  await until(isRight, { what: 'what Pods trust to be as it was', timeoutMs });
});

test('the way to the controller is back when somebody takes it away or changes it', async () => {
  const sliceType = typeOf('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices');
  const slices = cluster.client.of<KubeObject & { endpoints?: unknown }>(sliceType);
  const key = { namespace: 'fnlet-system', name: 'fnlet-controller' };
  const read = async () => JSON.stringify((await slices.tryGet(key))?.endpoints);
  const before = await read();
  assert.match(before, /127\.0\.0\.1/);
  const patch = { endpoints: [{ addresses: ['127.0.0.99'] }] };
  await slices.patch(key, { type: 'merge', patch });
  const isBack = async () => (await read()) === before;
  await until(isBack, { what: 'the address to be as it was', timeoutMs });
  await slices.delete(key);
  await until(isBack, { what: 'the address to be back', timeoutMs });
});
