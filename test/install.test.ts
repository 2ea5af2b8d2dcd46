/** `fnlet install`, `status`, `doctor`, `upgrade` and `uninstall` against an API. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { functionType, operatorType } from '@fnlet/api';
import { systemClock, systemRandom } from '@fnlet/base';
import { actAs, type Client, createClient, formatKubeconfig, loadKubeconfig } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import type { CliContext } from '../packages/cli/src/cli-context.ts';
import { explainFailure } from '../packages/cli/src/failure.ts';
import { clusterTypes } from '../packages/cli/src/install/cluster-connection.ts';
import { planBundle } from '../packages/cli/src/install/plan-bundle.ts';
import { readBundleFiles } from '../packages/cli/src/install/read-bundle-files.ts';
import { createProgram } from '../packages/cli/src/program.ts';
import { runProgram } from './fnlet-process.ts';
import { until } from './until.ts';

const namespace = 'fnlet-system';

/** Of the command, in what images and bundles hold. */
const programPath = join('packages', 'cli', 'bin', 'fnlet.js');

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-install-'));
  // What --bundle carries.
  const root = join(import.meta.dirname, '..');
  const script = `await (await import('${root}/tooling/bundle.mjs')).refreshBundle('${root}')`;
  const { code, stderr } = await runProgram(process.execPath, ['-e', script], {});
  assert.equal(code, 0, stderr);
});
after(() => rm(directory, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An API, and the command in this process. */
class Workshop implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly #kubeconfig: string;

  constructor(cluster: TestCluster, kubeconfig: string) {
    this.cluster = cluster;
    this.client = cluster.client;
    this.#kubeconfig = kubeconfig;
  }

  async run(...args: string[]): Promise<Ran> {
    const out: string[] = [];
    const err: string[] = [];
    const context: CliContext = {
      ...{ stdin: Readable.from([]), stdout: sink(out), stderr: sink(err) },
      ...{ env: { KUBECONFIG: this.#kubeconfig }, workingDirectory: directory, command: 'fnlet' },
      ...{ ownOutput: new Set(), clock: systemClock, random: systemRandom },
      signal: new AbortController().signal,
    };
    try {
      await createProgram(context).parseAsync(args, { from: 'user' });
      return { code: 0, stdout: out.join(''), stderr: err.join('') };
    } catch (error) {
      const { exitCode, message, remedy = '' } = explainFailure(error);
      return {
        code: exitCode,
        stdout: out.join(''),
        stderr: `${err.join('')}${message}\n${remedy}`,
      };
    }
  }

  async succeed(...args: string[]): Promise<Ran> {
    const ran = await this.run(...args);
    assert.equal(ran.code, 0, `fnlet ${args.join(' ')}:\n${ran.stdout}${ran.stderr}`);
    return ran;
  }

  /** A kubeconfig of this ServiceAccount. */
  async tokenOf({ name, namespace: place }: Record<'name' | 'namespace', string>): Promise<string> {
    const answer = await this.client.transport.request({
      method: 'POST',
      path: `/api/v1/namespaces/${place}/serviceaccounts/${name}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const { status } = JSON.parse(JSON.stringify(await answer.json()));
    const admin = await loadKubeconfig({ file: this.#kubeconfig, env: {} });
    const { server, caData = '' } = admin;
    const text = formatKubeconfig({ name, server, caPem: caData, token: String(status.token) });
    const file = `${this.#kubeconfig}-${name}`;
    await writeFile(file, text, { mode: 0o600 });
    return file;
  }

  /** Nobody runs Pods here: says of the Deployments what a kubelet's work would make of them. */
  async runPods(available?: number): Promise<void> {
    for (const name of ['fnlet-controller', 'fnlet-gateway']) {
      const deployments = this.client.of<Deployment>(clusterTypes.deployment);
      const read = async (): Promise<Deployment | undefined> => {
        const found = await deployments.tryGet({ namespace, name });
        return (found?.spec.replicas ?? 1) < 2 ? undefined : found;
      };
      const found = await until(read, { what: `two of ${name}` });
      const { generation: observedGeneration = 1 } = found.metadata;
      const replicas = found.spec.replicas ?? 1;
      const status = {
        ...{ observedGeneration, replicas, updatedReplicas: replicas },
        availableReplicas: available ?? replicas,
      };
      const patch = { type: 'merge', patch: { status } } as const;
      await deployments.patch({ namespace, name }, patch, { subresource: 'status' });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
  }
}

interface Deployment extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

function sink(texts: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      done();
    },
  });
}

async function open(): Promise<Workshop> {
  const cluster = await startTestCluster({ clock: 'system' });
  const file = join(await mkdtemp(join(directory, 'cluster-')), 'kubeconfig');
  await writeFile(file, await cluster.kubeconfig(), { mode: 0o600 });
  return new Workshop(cluster, file);
}

test('install, status, upgrade and uninstall: the objects of users outlive it', async () => {
  await using workshop = await open();
  const { client } = workshop;
  assert.equal((await workshop.run('status')).code, 3);
  const [installed] = await Promise.all([
    workshop.succeed('install', '--image', 'fnlet:1'),
    workshop.runPods(),
  ]);
  assert.match(installed.stderr, /deployment\/fnlet-gateway created/);
  assert.equal(installed.stdout, 'Fnlet runs in the namespace fnlet-system\n');
  const status = JSON.parse((await workshop.succeed('status', '-o', 'json')).stdout);
  assert.deepEqual([status.ready, status.version, status.functions], [true, '0.1.0', 0]);

  const hello = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function' };
  const spec = { runtime: 'nodejs24', source: { inline: 'export default () => 1;' } };
  const functions = client.of(functionType);
  const object = { ...hello, metadata: { name: 'hello', namespace: 'default' }, spec };
  await functions.create(object);

  await writeFile(
    join(directory, 'values.yaml'),
    'networkPolicies: false\ncontroller: {replicas: 3}\n',
  );
  const upgraded = await workshop.succeed('upgrade', '--values', 'values.yaml', '--no-wait');
  assert.match(upgraded.stderr, /deployment\/fnlet-controller configured/);
  assert.match(upgraded.stderr, /networkpolicy\/fnlet-gateway deleted/);
  const pending = await workshop.run('status');
  assert.equal(pending.code, 7);
  assert.match(pending.stdout, /fnlet-controller +2\/3 +not running/);
  const again = await workshop.succeed('upgrade', '--no-wait');
  assert.match(again.stderr, /nothing else changed/);
  assert.doesNotMatch(again.stderr, /created|configured|deleted/, 'the values of before hold');

  const gone = await workshop.succeed('uninstall');
  assert.match(gone.stdout, /still there/);
  assert.equal((await workshop.run('status')).code, 3);
  assert.equal((await functions.get({ namespace: 'default', name: 'hello' })).kind, 'Function');
  assert.equal((await workshop.run('uninstall')).code, 3);
  const definitions = client.of(clusterTypes.definition);
  const kept = await definitions.get({ namespace: '', name: 'functions.fnlet.dev' });
  assert.equal(kept.metadata.annotations?.['meta.helm.sh/release-name'], 'fnlet');
  assert.equal(kept.metadata.labels?.['app.kubernetes.io/managed-by'], 'Helm');
  await workshop.succeed('uninstall', '--purge');
  assert.deepEqual((await definitions.list()).items, [], 'they are gone when it says so');
  const place = { namespace: '', name: namespace };
  assert.equal(await client.of(clusterTypes.namespace).tryGet(place), undefined);
});

/** An Operator that a hub has begun to run, and an object that waits for it when it is deleted. */
async function operate({ client }: Workshop): Promise<void> {
  const own = { name: 'sites', namespace: 'default' };
  const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
  await client.of<KubeObject>(operatorType).create({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Operator' },
    metadata: { ...own, finalizers: ['fnlet.dev/operator'] },
    ...{ spec: { for: kind, reconcile: { function: 'sites' }, finalize: true } },
  });
  const finalizers = ['example.com/theirs', 'fnlet.dev/sites'];
  const metadata = { name: 'one', namespace: 'default', finalizers };
  await client.of<KubeObject>(clusterTypes.configMap).create({ ...kind, metadata });
}

const site = { namespace: 'default', name: 'one' };

test('uninstall --purge keeps no object of a user waiting for an operator that is gone', async () => {
  await using workshop = await open();
  const { client } = workshop;
  await workshop.succeed('install', '--image', 'fnlet:1', '--no-wait');
  await operate(workshop);
  // Whoever runs operators comes back with the next installation.
  const kept = await workshop.succeed('uninstall');
  assert.match(
    kept.stderr,
    /configmaps that operator default\/sites looks after stay, when .* until Fnlet is/,
  );
  const purged = await workshop.succeed('uninstall', '--purge');
  assert.match(purged.stderr, /let go of 1 of its configmaps: nobody cleans up/);
  const { metadata } = await client.of(clusterTypes.configMap).get(site);
  assert.deepEqual(metadata.finalizers, ['example.com/theirs']);
  assert.equal(metadata.deletionTimestamp, undefined);
});

test('uninstall --purge lets operators clean up before their controller goes', async () => {
  await using workshop = await open();
  const { client } = workshop;
  await Promise.all([workshop.succeed('install', '--image', 'fnlet:1'), workshop.runPods()]);
  await operate(workshop);
  const purging = workshop.succeed('uninstall', '--purge');
  const operators = client.of<KubeObject>(operatorType);
  const sites = { namespace: 'default', name: 'sites' };
  const isGoing = async (): Promise<boolean> =>
    (await operators.get(sites)).metadata.deletionTimestamp !== undefined;
  await until(isGoing, { what: 'the Operator to be deleted' });
  const controller = { namespace, name: 'fnlet-controller' };
  assert.ok(await client.of(clusterTypes.deployment).tryGet(controller), 'it still runs');
  // As the hub does.
  const free = (finalizers: readonly string[]) =>
    ({ type: 'merge', patch: { metadata: { finalizers } } }) as const;
  await client.of(clusterTypes.configMap).patch(site, free(['example.com/theirs']));
  await operators.patch(sites, free([]));
  assert.doesNotMatch((await purging).stderr, /nobody cleans up/);
  assert.equal(await client.of(clusterTypes.deployment).tryGet(controller), undefined);
});

test('install without an image carries the program in ConfigMaps, and upgrade sweeps the old', async () => {
  await using workshop = await open();
  const configMaps = workshop.client.of(clusterTypes.configMap);
  const old = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'fnlet-program-000000000000-0',
      namespace,
      labels: { 'fnlet.dev/installation': namespace },
    },
  };
  await workshop.succeed('install', '--no-wait');
  const pieces = (await configMaps.list({ namespace })).items.filter(({ metadata }) =>
    metadata.name.startsWith('fnlet-program-'),
  );
  assert.ok(pieces.length > 0);
  for (const piece of pieces) {
    assert.equal('immutable' in piece && piece.immutable, true);
    assert.ok(JSON.stringify(piece).length < 1.5 * 1024 * 1024, 'what etcd takes by default');
  }
  await configMaps.create(old);
  await workshop.succeed('upgrade', '--no-wait');
  const key = { namespace, name: old.metadata.name };
  assert.ok(await configMaps.tryGet(key), 'Pods of before may still start anew');
  await workshop.runPods();
  await workshop.succeed('upgrade');
  assert.equal(await configMaps.tryGet(key), undefined);
});

test('install says what it would apply, and refuses what it cannot', async () => {
  await using workshop = await open();
  const dry = await workshop.succeed('install', '--dry-run', '--image', 'fnlet:1', '-o', 'json');
  assert.ok(JSON.parse(dry.stdout).items.length > 20);
  assert.equal((await workshop.run('status')).code, 3, 'nothing was written');
  const wrong = await workshop.run('install', '-n', 'default', '--image', 'fnlet:1');
  assert.deepEqual([wrong.code, /namespace of its own/.test(wrong.stderr)], [2, true]);
  const missing = await workshop.run('install', '--values', 'none.yaml');
  assert.equal(missing.code, 2);
  const before = await workshop.run('upgrade');
  assert.deepEqual([before.code, /fnlet install makes one/.test(before.stderr)], [3, true]);
  await workshop.succeed('install', '--image', 'fnlet:1', '--no-wait');
  const second = await workshop.run('install', '-n', 'other', '--image', 'fnlet:1', '--no-wait');
  assert.deepEqual([second.code, /found one in the namespace/.test(second.stderr)], [1, true]);
  const late = await workshop.run('upgrade', '--wait-timeout', '10ms');
  assert.deepEqual([late.code, /fnlet-controller 0\/2/.test(late.stderr)], [5, true]);
  await writeFile(join(directory, 'monitor.yaml'), 'podMonitor: true\n');
  const monitor = await workshop.run('upgrade', '--values', 'monitor.yaml');
  assert.deepEqual([monitor.code, /Prometheus Operator/.test(monitor.stderr)], [1, true]);
});

test('what a part would end with is refused before anything is written', async () => {
  await using workshop = await open();
  const wrong: readonly [values: string, message: RegExp][] = [
    ['bodyLimit: huge', /"bodyLimit".*such as 512Ki/],
    ['artifacts: {bucket: my-bucket, bucketSecret: keys}', /"artifacts.bucket".*s3:\/\//],
    ['controller: {memory: 2Gi}', /controller.memoryLimit, which is 1Gi/],
    ['gateway: {minReplicas: 20}', /gateway.maxReplicas, which is 10/],
    ['gateway: {replicas: 2}', /found "gateway.replicas"/],
    ['- one', /settings with values/],
    ['a: [', /Cannot read "wrong.yaml"/],
  ];
  for (const [values, message] of wrong) {
    await writeFile(join(directory, 'wrong.yaml'), `${values}\n`);
    for (const flags of [['--dry-run'], ['--no-wait']]) {
      const { code, stderr, stdout } = await workshop.run(
        ...['install', '--image', 'fnlet:1', '--values', 'wrong.yaml', ...flags],
      );
      assert.deepEqual([code, stdout], [2, ''], values);
      assert.match(stderr, message);
    }
  }
  const namespaces = workshop.client.of(clusterTypes.namespace);
  assert.equal(await namespaces.tryGet({ namespace: '', name: namespace }), undefined);
});

test('what another release has installed is shown, and brought to this one', async () => {
  await using workshop = await open();
  await writeFile(join(directory, 'debug.yaml'), 'logLevel: debug\n');
  await workshop.succeed(
    ...['install', '--image', 'fnlet:1', '--values', 'debug.yaml', '--no-wait'],
  );
  const configMaps = workshop.client.of(clusterTypes.configMap);
  const values = 'image: fnlet:2\nlogLevel: debug\ngateway: {shards: 2}\ndashboard: true\n';
  const data = { version: '9.0.0', 'values.yaml': values };
  const record = { namespace, name: 'fnlet-installation' };
  await configMaps.patch(record, { type: 'merge', patch: { data } });
  const status = await workshop.run('status');
  assert.match(status.stdout, /version +9.0.0 \(this command: 0.1.0\)/);
  const { stderr } = await workshop.succeed('upgrade', '--no-wait');
  assert.match(stderr, /no such settings: gateway.shards, dashboard\nfrom 9.0.0 in fnlet-system/);
  const { stdout, stderr: later } = await workshop.succeed('upgrade', '--dry-run');
  assert.equal(later, '', 'it is known from now on what holds');
  assert.match(stdout, /version: 0.1.0/);
  assert.match(stdout, /FNLET_LOG_LEVEL\n +value: debug/);
  assert.match(stdout, /image: fnlet:2/);
});

test('install --with-nats makes its password once, and uninstall leaves its volumes', async () => {
  await using workshop = await open();
  const secrets = workshop.client.of<KubeObject & { readonly data: Record<string, string> }>(
    clusterTypes.secret,
  );
  await workshop.succeed('install', '--image', 'fnlet:1', '--with-nats', '--no-wait');
  const key = { namespace, name: 'fnlet-nats' };
  const { data } = await secrets.get(key);
  const url = Buffer.from(data.url ?? '', 'base64').toString();
  const host = 'fnlet-nats.fnlet-system.svc';
  const [before = '', query] = url.split('?');
  assert.match(before, new RegExp(`^nats://fnlet:p\\w{40}@${host}:4222$`));
  assert.equal(query, `monitor=http://${host}:8222`);
  const pending = await workshop.run('status');
  assert.match(pending.stdout, /fnlet-nats +0\/1 +not running/);
  const ill = await workshop.run('doctor');
  assert.match(ill.stdout, /fail +fnlet-nats +fnlet-nats 0\/1/);
  assert.match(ill.stdout, /^fnlet-nats: kubectl .* -l app.kubernetes.io\/name=fnlet-nats$/m);
  await writeFile(join(directory, 'nats.yaml'), 'nats: {cluster: true}\n');
  await workshop.succeed('upgrade', '--values', 'nats.yaml', '--no-wait');
  const after = await secrets.get(key);
  assert.equal(after.data.password, data.password);
  const wider = Buffer.from(after.data.url ?? '', 'base64').toString();
  assert.equal(wider, `${url}&replicas=3`);
  const gone = await workshop.succeed('uninstall');
  assert.match(gone.stderr, /statefulset\/fnlet-nats deleted/);
});

test('doctor tells what is wrong, and what to do', async () => {
  await using workshop = await open();
  const empty = await workshop.succeed('doctor');
  assert.match(empty.stdout, /warn +installation +none/);
  assert.match(empty.stdout, /^installation: fnlet install brings it$/m);
  await workshop.succeed('install', '--image', 'fnlet:1', '--no-wait');
  const ill = await workshop.run('doctor');
  assert.equal(ill.code, 1);
  assert.match(ill.stdout, /fail +fnlet-controller +fnlet-controller 0\/2/);
  assert.match(ill.stdout, /fail +leader/);
  const { findings } = JSON.parse((await workshop.run('doctor', '-o', 'json')).stdout);
  assert.ok(findings.some(({ check }: { check: string }) => check === 'Kubernetes'));
});

test('doctor tells who may do little what it sees, and what it does not', async () => {
  await using workshop = await open();
  await workshop.succeed('install', '--image', 'fnlet:1', '--no-wait');
  const name = 'weak';
  const account = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts' };
  const accounts = workshop.client.of<KubeObject>({ ...account, namespaced: true });
  const metadata = { name, namespace: 'default' };
  await accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const asWeak = await workshop.tokenOf(metadata);
  const { code, stdout, stderr } = await workshop.run('doctor', '--kubeconfig', asWeak);
  assert.deepEqual([code, /cannot run like this: permissions/.test(stderr)], [1, true], stderr);
  assert.match(stdout, /ok +kinds/);
  assert.match(stdout, /warn +webhooks +cannot be seen: .*cannot list resource/);
  assert.match(stdout, /warn +installation +cannot be seen: /);
  assert.match(stdout, /^webhooks: Ask for a role that allows it$/m);
});

test('the accounts may do what their rules say, and nothing else', async () => {
  await using workshop = await open();
  await workshop.succeed('install', '--image', 'fnlet:1', '--no-wait');
  const as = (name: string): Client =>
    createClient(
      actAs(workshop.cluster.transport(), `system:serviceaccount:${namespace}:${name}`),
      {
        fieldManager: 'test',
      },
    );
  const controller = as('fnlet-controller');
  const gateway = as('fnlet-gateway');
  await controller.of(functionType).list();
  await gateway.of(functionType).list();
  await controller.of(clusterTypes.secret).list();
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } };
  await controller.of(clusterTypes.configMap).apply(configMap);
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'fnlet-controller', namespace },
  };
  await controller.of(clusterTypes.lease).create(lease);
  const forbidden = { code: 'Forbidden' };
  const elsewhere = { ...lease, metadata: { ...lease.metadata, namespace: 'default' } };
  await assert.rejects(controller.of(clusterTypes.lease).create(elsewhere), forbidden);
  await assert.rejects(gateway.of(clusterTypes.secret).list(), forbidden);
  await assert.rejects(gateway.of(clusterTypes.configMap).apply(configMap), forbidden);
  await assert.rejects(gateway.of(clusterTypes.namespace).list(), forbidden);
  const key = { namespace: '', name: 'default' };
  await assert.rejects(controller.of(clusterTypes.namespace).delete(key), forbidden);
  // What people may view is gathered by the API, a moment after the roles are there.
  const namespaces = controller.of(clusterTypes.namespace);
  await until(async () => (await namespaces.list()).items.length > 0, { what: 'what is viewed' });
});

test('the program in ConfigMaps unpacks to one that has what keeps and brings events', async () => {
  const { names, objects } = planBundle(await readBundleFiles(), namespace);
  const pieces = objects.map((object) => {
    const { binaryData } = Object(object);
    const bytes = Buffer.from(String(binaryData.piece), 'base64');
    assert.ok(bytes.length <= 1024 * 1024);
    return bytes;
  });
  const files = pieces.map((_, index) => join(directory, `piece-${index}`));
  for (const [index, file] of files.entries()) await writeFile(file, pieces[index] ?? '');
  const to = join(directory, 'unpacked');
  const run = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(process.execPath, args, {});
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await run(['-e', names.unpack, to, ...files]);
  assert.match(await run([join(to, programPath), '--version']), /^\d+\.\d+\.\d+/);
  const brought = ['lmdb', '@nats-io/jetstream', '@nats-io/transport-node', '@platformatic/kafka'];
  const script = join(to, 'brought.mjs');
  await writeFile(script, brought.map((name) => `await import('${name}');`).join('\n'));
  await run([script]);
});
