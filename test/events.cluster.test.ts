/** Triggers, Operators and functions with Deployments of their own in a real Kubernetes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fnlet, kubectl, needsCluster, tryKubectl } from './cluster.ts';
import { Way } from './cluster-way.ts';
import { until } from './until.ts';

const namespace = 'fnlet-conformance-events';
const installation = 'fnlet-system';
const timeoutMs = 120_000;

async function apply(...objects: readonly object[]): Promise<void> {
  for (const object of objects)
    await kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) });
}

async function awaitReady(kind: string, name: string, condition = 'Ready'): Promise<void> {
  const wait = ['wait', `--for=condition=${condition}`, `${kind}/${name}`, '--timeout=120s'];
  await kubectl(['-n', namespace, ...wait]);
}

function made(kind: string, name: string, spec: object): object {
  return { apiVersion: 'fnlet.dev/v1alpha1', kind, metadata: { name, namespace }, spec };
}

async function getText(kind: string, name: string, path: string): Promise<string> {
  const args = ['-n', namespace, 'get', kind, name, '--ignore-not-found'];
  return kubectl([...args, '-o', `jsonpath={${path}}`]);
}

/** Says which events it was sent, by their types and data; it stays up, to remember. */
const recorder = `
const seen = [];
export default async (request) => {
  if (request.method === 'GET') return Response.json(seen);
  seen.push(request.headers.get('ce-type') + ' ' + (await request.text()));
  return new Response('kept');
};`;

const reconciler = `export default async (request) => {
  const { object } = await request.json();
  const { name } = object.metadata;
  const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: object.spec };
  return Response.json({ children: [child], status: { length: object.spec.text.length } });
};`;

const reads = ['get', 'list', 'watch'];

/** The kind Site, and an Operator that makes a ConfigMap of each. */
function siteOperator(): readonly object[] {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const group = 'conformance.example.dev';
  const fields = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: fields, status: fields } },
  };
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } };
  const rules = [
    { apiGroups: [group], resources: ['sites'], verbs: [...reads, 'patch'] },
    { apiGroups: [group], resources: ['sites/status'], verbs: ['get', 'patch'] },
    { apiGroups: [group], resources: ['sites/finalizers'], verbs: ['update'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: [...reads, 'create', 'patch', 'delete'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
  const labels = { 'fnlet.dev/aggregate-to-watched': 'true' };
  const watched = [{ apiGroups: [group], resources: ['sites'], verbs: reads }];
  const name = 'fnlet-conformance-sites';
  return [
    {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: `sites.${group}` },
      spec: {
        ...{ group, scope: 'Namespaced', versions: [version] },
        names: { kind: 'Site', plural: 'sites', singular: 'site', listKind: 'SiteList' },
      },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sites', namespace } },
    { apiVersion: rbac, kind: 'ClusterRole', metadata: { name, labels }, rules: watched },
    { apiVersion: rbac, kind: 'Role', metadata: { name: 'sites', namespace }, rules },
    {
      ...{ apiVersion: rbac, kind: 'RoleBinding', metadata: { name: 'sites', namespace } },
      subjects: [{ kind: 'ServiceAccount', name: 'sites', namespace }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'sites' },
    },
    made('Operator', 'sites', {
      for: { apiVersion: `${group}/v1`, kind: 'Site' },
      owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      namespaces: [namespace],
      serviceAccountName: 'sites',
      reconcile: { runtime: 'nodejs24', source: { inline: reconciler } },
    }),
  ];
}

describe('what calls functions in a cluster', needsCluster, () => {
  let way: Way;
  const seen = async (): Promise<readonly string[]> =>
    JSON.parse(await way.call(`/${namespace}/record`));
  const sees = (text: string): Promise<boolean> =>
    until(async () => (await seen()).some((event) => event.includes(text)), {
      ...{ what: `an event with ${text}`, timeoutMs },
    });
  before(async () => {
    const { code, stderr } = await fnlet(['install']);
    assert.equal(code, 0, stderr);
    await kubectl(['create', 'namespace', namespace]);
    const source = { inline: recorder };
    await apply(made('Function', 'record', { runtime: 'nodejs24', source, scale: { min: 1 } }));
    await awaitReady('function', 'record');
    way = await Way.open(installation);
  });
  after(async () => {
    await way?.[Symbol.asyncDispose]();
    const gone = ['--ignore-not-found', '--timeout=120s'];
    await tryKubectl(['delete', 'namespace', namespace, ...gone]);
    await tryKubectl(['delete', 'clusterrole', 'fnlet-conformance-sites', ...gone]);
    await tryKubectl(['delete', 'crd', 'sites.conformance.example.dev', ...gone]);
    await fnlet(['uninstall']);
  });

  test('schedules do', async () => {
    const cron = { schedule: '* * * * * *', data: 'tick', missed: 'skip' };
    await apply(made('Trigger', 'often', { source: { cron }, target: { function: 'record' } }));
    await sees('tick');
    await kubectl(['-n', namespace, 'delete', 'trigger', 'often']);
  });

  test('events over HTTP do, once they are kept', async () => {
    const http = { paths: [{ exact: '/conformance/in' }], events: {} };
    await apply(made('Trigger', 'in', { source: { http }, target: { function: 'record' } }));
    await awaitReady('trigger', 'in');
    const headers = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 'sent' };
    const body = 'by somebody';
    const answer = await way.fetch('/conformance/in', { method: 'POST', headers, body });
    assert.equal(answer.status, 202, await answer.text());
    await sees('sent by somebody');
  });

  test('objects do, as far as their ServiceAccount sees them', async () => {
    const kubernetes = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', fieldSelector: 'metadata.name=watched' },
    };
    await kubectl([
      ...['-n', namespace, 'create', 'rolebinding', 'view', '--clusterrole=view'],
      `--serviceaccount=${namespace}:default`,
    ]);
    await apply(
      made('Trigger', 'maps', { source: { kubernetes }, target: { function: 'record' } }),
    );
    await awaitReady('trigger', 'maps');
    await kubectl(['-n', namespace, 'create', 'configmap', 'watched', '--from-literal=a=news']);
    await sees('news');
  });

  test('an Operator makes what is to be, mends it, and takes it away', async () => {
    await apply(...siteOperator());
    await awaitReady('operator', 'sites');
    const site = {
      ...{ apiVersion: 'conformance.example.dev/v1', kind: 'Site' },
      metadata: { name: 'one', namespace },
      spec: { text: 'hello' },
    };
    await apply(site);
    const made1 = async (): Promise<boolean> =>
      (await getText('configmap', 'one', '.data.text')) === 'hello';
    await until(made1, { what: 'its ConfigMap', timeoutMs });
    await until(async () => (await getText('site', 'one', '.status.length')) === '5', {
      ...{ what: 'its status', timeoutMs },
    });
    await kubectl(['-n', namespace, 'delete', 'configmap', 'one']);
    await until(made1, { what: 'its ConfigMap again', timeoutMs });
    await kubectl(['-n', namespace, 'delete', 'site', 'one', '--timeout=60s']);
    await until(async () => (await getText('configmap', 'one', '.metadata.name')) === '', {
      ...{ what: 'its ConfigMap to go', timeoutMs },
    });
  });

  test('a function that a warm Pod cannot be has a Deployment, and sleeps and wakes as others', async () => {
    await kubectl(['-n', namespace, 'create', 'configmap', 'texts', '--from-literal=greeting=hi']);
    const inline = `import { readFileSync } from 'node:fs';
export default () => readFileSync('/etc/texts/greeting', 'utf8');`;
    const mounts = [{ configMap: 'texts', path: '/etc/texts' }];
    const resources = { limits: { memory: '256Mi' } };
    const spec = { runtime: 'nodejs24', source: { inline }, mounts, resources };
    await apply(made('Function', 'mounted', { ...spec, scale: { idleAfter: '5s' } }));
    await awaitReady('function', 'mounted');
    assert.equal(await way.call(`/${namespace}/mounted`), 'hi');
    const label = ['-l', 'fnlet.dev/function=mounted'];
    const replicas = async (): Promise<string> =>
      kubectl([
        ...['-n', namespace, 'get', 'deployments', ...label],
        ...['-o', 'jsonpath={.items[*].spec.replicas}'],
      ]);
    await until(async () => (await replicas()) === '0', { what: 'it to sleep', timeoutMs });
    assert.equal(await way.call(`/${namespace}/mounted`), 'hi');
  });
});
