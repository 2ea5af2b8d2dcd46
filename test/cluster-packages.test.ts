/** Packages of functions in a cluster: installed by Pods of their own, once, and by nobody else. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import { needsPip } from '../packages/executor/test/pip-bench.ts';
import { ClusterParts, type GatewayPart, type Part } from './cluster-parts.ts';
import { type PackageRegistry, startPackageRegistry } from './package-registry.ts';
import { until } from './until.ts';

/** A machine with one or two cores starts all of these beside other tests. */
const timeoutMs = 90_000;
const namespace = 'default';
const core: Omit<ResourceType, 'kind' | 'plural'> = { group: '', version: 'v1', namespaced: true };
const podType: ResourceType = { ...core, kind: 'Pod', plural: 'pods' };
const secretType: ResourceType = { ...core, kind: 'Secret', plural: 'secrets' };
const functionType: ResourceType = {
  ...{ group: 'fnlet.dev', version: 'v1alpha1', namespaced: true },
  ...{ kind: 'Function', plural: 'functions' },
};

interface Told extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

let registry: PackageRegistry;
let cluster: ClusterParts;
let controller: Part;
let gateway: GatewayPart;

before(async () => {
  registry = await startPackageRegistry([{ name: 'greeting', version: '1.0.0' }]);
  cluster = await ClusterParts.start();
  const { environment: led } = registry;
  const index = led.PIP_INDEX_URL ?? '';
  const stringData = {
    '.npmrc': `registry=${led.NPM_CONFIG_REGISTRY ?? led.npm_config_registry}\n`,
    'pip.conf': `[global]\nindex-url = ${index}\ntrusted-host = 127.0.0.1\n`,
  };
  const metadata = { name: 'serverless-package-registry-config', namespace };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, ...{ stringData } };
  await cluster.client.of<KubeObject>(secretType).apply(secret, { force: true });
  controller = await startController('first-disk');
  gateway = await cluster.gateway();
});

after(async () => {
  await cluster[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

/** A place that outlives the disks of controllers. */
function sharedPlace(): string {
  return join(cluster.api.dataDirectory, 'shared');
}

function startController(disk: string): Promise<Part> {
  return cluster.controller(disk, ['--artifacts-bucket', `file://${sharedPlace()}`]);
}

async function apply(name: string, spec: object): Promise<void> {
  const metadata = { name, namespace };
  const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, ...{ spec } };
  await cluster.client.of<KubeObject>(functionType).apply(object, { force: true });
}

async function waitReady(name: string, status: 'True' | 'False'): Promise<Condition> {
  let last: unknown;
  const isSo = async (): Promise<Condition | undefined> => {
    const found = await cluster.client.of<Told>(functionType).get({ namespace, name });
    last = found.status?.conditions;
    const ready = found.status?.conditions?.find(({ type }) => type === 'Ready');
    return ready?.status === status ? ready : undefined;
  };
  const what = `Ready of ${name} to be ${status}`;
  return await until(isSo, { what, timeoutMs }).catch(async (error: unknown) => {
    const { items } = await cluster.client.of<Told>(podType).list();
    const found = JSON.stringify([last, items.map(({ status: it }) => it)], undefined, 1);
    throw new Error(`${found}\n${cluster.output()}`, { cause: error });
  });
}

/** A Gateway that has not heard of a new leader yet asks to try again. */
async function call(name: string): Promise<string> {
  const heard = async (): Promise<Response | undefined> => {
    const answer = await fetch(`${gateway.url}/${namespace}/${name}`);
    if (answer.status !== 503) return answer;
    await answer.body?.cancel();
    return undefined;
  };
  const answer = await until(heard, { what: `an answer of ${name}`, timeoutMs });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${text}\n${cluster.output()}`);
  return text;
}

async function noBuildsLeft(): Promise<void> {
  const isGone = async (): Promise<boolean> => {
    const { items } = await cluster.client.of(podType).list({ labelSelector: 'fnlet.dev/build' });
    return items.length === 0;
  };
  await until(isGone, { what: 'Pods that install packages to go', timeoutMs });
}

const greeting = {
  runtime: 'nodejs24',
  source: {
    inline: "import * as greeting from 'greeting';\nexport default () => ({ ...greeting });",
  },
  dependencies: '{"dependencies": {"greeting": "^1.0.0"}}',
};

test('packages of npm are installed by a Pod, and the function has them', async () => {
  await apply('node', greeting);
  await waitReady('node', 'True');
  assert.match(await call('node'), /1\.0\.0/);
  await noBuildsLeft();
});

test('packages of Python are, too', needsPip, async () => {
  const lines = ['import greeting', 'def handler(request):', '    return greeting.version', ''];
  await apply('snake', {
    runtime: 'python3.11',
    source: { inline: lines.join('\n') },
    dependencies: 'greeting==1.0.0\n',
  });
  await waitReady('snake', 'True');
  assert.match(await call('snake'), /1\.0\.0/);
  await noBuildsLeft();
});

test('a package that is not there is told as it is embedded', async () => {
  await apply('lost', {
    runtime: 'nodejs24',
    source: { inline: "export default () => 'never';" },
    dependencies: '{"dependencies": {"nowhere-to-be-found": "1.0.0"}}',
  });
  const { reason, message } = await waitReady('lost', 'False');
  assert.equal(reason, 'DependencyNotFound');
  assert.match(message ?? '', /nowhere-to-be-found/);
  await noBuildsLeft();
});

test('a controller that finds an empty disk brings packages from the bucket', async () => {
  const kept = (): boolean =>
    ['artifacts', 'dependencies', 'locks'].every((name) => existsSync(join(sharedPlace(), name)));
  await until(kept, { what: 'artifacts in the bucket', timeoutMs });
  // It would be tried again.
  await cluster.client.of<KubeObject>(functionType).delete({ namespace, name: 'lost' });
  const next = await startController('second-disk');
  await until(() => next.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  await controller.stop();
  const isLeading = (): boolean => next.output().includes('Serving Runners and Gateways');
  await until(isLeading, { what: 'another controller to lead', timeoutMs });
  // Another function, the same artifact.
  await apply('again', greeting);
  await waitReady('again', 'True');
  assert.match(await call('again'), /1\.0\.0/);
  const metrics = await (await fetch(`${next.healthUrl}/metrics`)).text();
  assert.match(metrics, /rest_client_requests_total\{.*resource="revisions"/);
  assert.doesNotMatch(metrics, /method="POST",resource="pods"/, 'no Pod installs packages');
});
