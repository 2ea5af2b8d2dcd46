/** `fnlet export` and `fnlet promote` between two APIs. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  brokerCrd,
  brokerType,
  type FunctionObject,
  functionCrd,
  functionType,
  operatorCrd,
  operatorType,
  runtimeCrd,
  triggerCrd,
  triggerType,
} from '@fnlet/api';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { readManifests } from '../packages/cli/src/read-manifests.ts';
import { type CommandRun, runCommand } from './command-in-process.ts';

const definitions = [functionCrd, triggerCrd, operatorCrd, brokerCrd, runtimeCrd];
const apiVersion = 'fnlet.dev/v1alpha1';
const configMapType = coreType('ConfigMap', 'configmaps');
const secretType = coreType('Secret', 'secrets');

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-promote-'));
});
after(() => rm(directory, { recursive: true, force: true }));

function coreType(kind: string, plural: string): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced: true };
}

/** Where the objects are, and where they are to be. */
class Workshop implements AsyncDisposable {
  readonly here: TestCluster;
  readonly there: TestCluster;
  readonly place: string;

  constructor(here: TestCluster, there: TestCluster, place: string) {
    this.here = here;
    this.there = there;
    this.place = place;
  }

  run(...args: readonly string[]): Promise<CommandRun> {
    return this.type(undefined, ...args);
  }

  /** @param stdin what somebody types */
  type(stdin: string | undefined, ...args: readonly string[]): Promise<CommandRun> {
    const env = { KUBECONFIG: join(this.place, 'here') };
    return runCommand(args, {
      ...{ env, directory: this.place },
      ...(stdin === undefined ? {} : { stdin }),
    });
  }

  /** `fnlet promote` to the other API. */
  promote(...args: readonly string[]): Promise<CommandRun> {
    return this.run('promote', ...this.target, ...args);
  }

  get target(): readonly string[] {
    return ['--to-kubeconfig', join(this.place, 'there'), '--to-context', 'test'];
  }

  /** How many requests have changed something there. */
  get writesThere(): number {
    return this.there.writes.entries.filter(({ dryRun }) => !dryRun).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.here.close(), this.there.close()]);
  }
}

async function open(there: readonly KubeObject[] = definitions): Promise<Workshop> {
  const clock = 'system';
  const clusters = await Promise.all([
    startTestCluster({ clock, objects: definitions }),
    startTestCluster({ clock, objects: there, seed: 2 }),
  ]);
  const place = await mkdtemp(join(directory, 'workshop-'));
  const [here, target] = clusters;
  await writeFile(join(place, 'here'), await here.kubeconfig(), { mode: 0o600 });
  await writeFile(join(place, 'there'), await target.kubeconfig(), { mode: 0o600 });
  return new Workshop(here, target, place);
}

const functionSpec = { runtime: 'nodejs24', source: { inline: 'export default () => 1;' } };

function object(kind: string, name: string, fields: object): KubeObject {
  const version = kind === 'ConfigMap' || kind === 'Secret' ? 'v1' : apiVersion;
  return { apiVersion: version, kind, metadata: { name, namespace: 'default' }, ...fields };
}

/** A shop: two Functions, a Trigger, a Broker, and what they name. */
async function fillShop({ client }: TestCluster): Promise<void> {
  await client.of(configMapType).create(object('ConfigMap', 'settings', { data: { a: '1' } }));
  const data = { token: Buffer.from('s3cret').toString('base64') };
  await client.of(secretType).create(object('Secret', 'token', { type: 'Opaque', data }));
  const envFrom = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'token' } }];
  const orders = object('Function', 'orders', { spec: { ...functionSpec, envFrom } });
  await client.of(functionType).create(orders);
  await client.of(functionType).create(object('Function', 'other', { spec: functionSpec }));
  await client.of(brokerType).create(object('Broker', 'shop', { spec: {} }));
  const spec = { source: { broker: { name: 'shop' } }, target: { function: 'orders' } };
  await client.of(triggerType).create(object('Trigger', 'placed', { spec }));
}

test('export writes manifests that another API takes, without what the server wrote', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  const { code, stdout, stderr } = await workshop.run('export');
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(
    stdout,
    /uid|resourceVersion|creationTimestamp|managedFields|status|namespace/,
  );
  const kinds = [...stdout.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind);
  assert.deepEqual(kinds, ['ConfigMap', 'Broker', 'Function', 'Function', 'Trigger']);
  assert.match(stderr, /secret\/token is left out/);
  const json = JSON.parse((await workshop.run('export', '--with-secrets', '-o', 'json')).stdout);
  assert.equal(json.items.length, 6);
  for (const item of json.items) {
    const type = [functionType, brokerType, triggerType, configMapType, secretType].find(
      ({ kind }) => kind === item.kind,
    );
    assert.ok(type);
    const metadata = { ...item.metadata, namespace: 'default' };
    await workshop.there.client.of(type).create({ ...item, metadata });
  }
});

test('export writes a file for each object, and nowhere but into an empty directory', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  const written = await workshop.run('export', 'orders', '-d', 'out');
  assert.equal(written.code, 0, written.stderr);
  const out = join(workshop.place, 'out');
  assert.deepEqual((await readdir(out)).sort(), [
    ...['broker-shop.yaml', 'configmap-settings.yaml', 'function-orders.yaml'],
    'trigger-placed.yaml',
  ]);
  const again = await workshop.run('export', '-d', 'out');
  assert.deepEqual([again.code, /expected it to be empty/.test(again.stderr)], [1, true]);
  const all = await workshop.run('export', '-A', '-d', 'all');
  assert.equal(all.code, 0, all.stderr);
  const file = await readFile(join(workshop.place, 'all/default/function-other.yaml'), 'utf8');
  assert.match(file, /namespace: default/);
  const stdin = process.stdin;
  const objects = await readManifests(['out'], { stdin, workingDirectory: workshop.place });
  assert.equal(objects.length, 4);
});

test('export leaves out what others make, and says what cannot be exported', async () => {
  await using workshop = await open();
  const { client } = workshop.here;
  const artifact = `sha256:${'a'.repeat(64)}`;
  const spec = { runtime: 'nodejs24', source: { artifact } };
  await client.of(functionType).create(object('Function', 'large', { spec }));
  const large = await workshop.run('export');
  assert.equal(large.code, 1);
  assert.match(large.stderr, /function\/large: its source was uploaded here/);
  assert.equal(large.stdout, '');
  const site = { for: { apiVersion: 'v1', kind: 'ConfigMap' }, reconcile: functionSpec };
  const operators = client.of(operatorType);
  const { metadata: its } = await operators.create(object('Operator', 'site', { spec: site }));
  const owner = { apiVersion, kind: 'Operator', name: 'site', uid: its.uid ?? '' };
  const ownerReferences = [{ ...owner, controller: true }];
  const metadata = { name: 'site', namespace: 'default', ownerReferences };
  const child = { ...object('Function', 'site', { spec: functionSpec }), metadata };
  await client.of(functionType).create(child);
  const written = await workshop.run('export', 'site', '-o', 'json');
  const kinds = JSON.parse(written.stdout).items.map(({ kind }: KubeObject) => kind);
  assert.deepEqual(kinds, ['Operator']);
  const made = await workshop.run('export', 'function/site');
  assert.equal(made.code, 3);
  assert.match(made.stderr, /site is made by operator\/site, and is left out/);
  const none = await workshop.run('export', 'nobody');
  assert.deepEqual([none.code, /found nothing named nobody/.test(none.stderr)], [3, true]);
  const empty = await workshop.run('export', '-n', 'kube-public');
  assert.equal(empty.code, 3);
});

test('an Operator comes with its account and the definition of its kind', async () => {
  await using workshop = await open();
  const { client } = workshop.here;
  const spec = {
    for: { apiVersion: 'example.com/v1', kind: 'Site' },
    serviceAccountName: 'site',
    reconcile: functionSpec,
  };
  await client.of(definitionType).create(siteDefinition);
  await client.of(operatorType).create(object('Operator', 'site', { spec }));
  const account = { apiVersion: 'v1', kind: 'ServiceAccount' };
  const metadata = { name: 'site', namespace: 'default' };
  await client.of(coreType('ServiceAccount', 'serviceaccounts')).create({ ...account, metadata });
  const { code, stderr } = await workshop.promote('--yes');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /serviceaccount\/site comes without its rights/);
  const there = workshop.there.client;
  assert.ok(await there.of(operatorType).tryGet({ namespace: 'default', name: 'site' }));
  const { name } = siteDefinition.metadata;
  assert.ok(await there.of(definitionType).tryGet({ namespace: '', name }));
});

const definitionType: ResourceType = {
  ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
  ...{ plural: 'customresourcedefinitions', namespaced: false },
};

const siteDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', kind: 'Site' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
};

test('promote shows what changes, asks, writes, and has nothing to write the next time', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  const dry = await workshop.promote('--dry-run');
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^--- \/dev\/null\n\+\+\+ promoted\/configmap\/settings\n/);
  assert.match(dry.stderr, /secret\/token is not there/);
  for (const answer of ['n\n', '', 'maybe\n']) {
    const refused = await workshop.type(answer, 'promote', ...workshop.target);
    assert.deepEqual([refused.code, /nothing was written/.test(refused.stderr)], [1, true]);
  }
  assert.equal(workshop.writesThere, 0);
  const written = await workshop.type('y\n', 'promote', ...workshop.target, '--with-secrets');
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stderr, /Write 6 objects to the context "test", namespace "default"\?/);
  assert.match(written.stderr, /function\/orders created/);
  assert.doesNotMatch(written.stdout, /czNjcmV0|s3cret/, 'values of Secrets are not shown');
  const orders = await workshop.there.client
    .of(functionType)
    .get({ namespace: 'default', name: 'orders' });
  assert.deepEqual(
    orders.metadata.managedFields?.map(({ manager }) => manager),
    ['fnlet-promote'],
  );
  workshop.there.writes.clear();
  const again = await workshop.promote('--with-secrets');
  assert.deepEqual([again.code, again.stdout], [0, ''], again.stderr);
  assert.match(again.stderr, /nothing changes in the context "test"/);
  assert.equal(workshop.writesThere, 0);
});

test('promote shows a change line by line, and of a Secret only that it changed', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  await workshop.promote('--yes', '--with-secrets');
  const key = { namespace: 'default', name: 'orders' };
  const functions = workshop.here.client.of(functionType);
  const patch = { type: 'merge', patch: { spec: { timeout: '7s' } } } as const;
  await functions.patch(key, patch);
  const data = { token: Buffer.from('changed').toString('base64') };
  const secrets = workshop.here.client.of(secretType);
  await secrets.patch({ namespace: 'default', name: 'token' }, { type: 'merge', patch: { data } });
  const { code, stdout, stderr } = await workshop.promote('--yes', '--with-secrets', 'orders');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^- {2}timeout: .*\n\+ {2}timeout: 7s$/m);
  assert.match(stdout, /^- {2}token: "\*\*\* \(before\)"\n\+ {2}token: "\*\*\* \(after\)"$/m);
  assert.match(stderr, /function\/orders configured/);
  assert.equal(
    (await workshop.there.client.of<FunctionObject>(functionType).get(key)).spec.timeout,
    '7s',
  );
});

test('promote goes to another namespace, also of the same API, and never onto itself', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  const to = ['promote', '--to-context', 'test', '--yes'];
  const itself = await workshop.run(...to);
  assert.deepEqual([itself.code, /it is where the objects are/.test(itself.stderr)], [2, true]);
  const missing = await workshop.run(...to, '--to-namespace', 'shop');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /kubectl create namespace shop --context test/);
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' };
  const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  await workshop.here.client.of({ ...namespaces, namespaced: false }).create(shop);
  const written = await workshop.run(...to, '--to-namespace', 'shop', '-o', 'name');
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /^function.fnlet.dev\/orders$/m);
  const key = { namespace: 'shop', name: 'placed' };
  assert.ok(await workshop.here.client.of(triggerType).tryGet(key));
});

test('promote says what is missing there: kinds, fields that it does not know', async () => {
  await using workshop = await open([]);
  await fillShop(workshop.here);
  const bare = await workshop.promote('--yes');
  assert.equal(bare.code, 1);
  assert.match(bare.stderr, /found no Broker of fnlet.dev\/v1alpha1, Function of/);
  assert.match(bare.stderr, /fnlet install --context test/);
  const older = structuredClone(functionCrd);
  for (const { schema } of older.spec.versions) {
    const spec = schema?.openAPIV3Schema?.properties?.spec;
    if (spec?.properties !== undefined) Reflect.deleteProperty(spec.properties, 'envFrom');
  }
  for (const definition of [older, triggerCrd, brokerCrd]) {
    await workshop.there.client.of(definitionType).create(definition);
  }
  const strict = await workshop.promote('--yes');
  assert.equal(strict.code, 1);
  assert.match(strict.stderr, /function\/orders: .*envFrom/);
  assert.match(strict.stderr, /nothing was written/);
  const key = { namespace: 'default', name: 'settings' };
  assert.equal(await workshop.there.client.of(configMapType).tryGet(key), undefined);
});

test('promote leaves alone what somebody else has set there, unless told', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  const other = workshop.there.client.as('somebody');
  const spec = { ...functionSpec, timeout: '9s' };
  await other.of(functionType).apply(object('Function', 'other', { spec }));
  const before = workshop.writesThere;
  const refused = await workshop.promote('--yes', 'other');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /function\/other: .*somebody/s);
  assert.match(refused.stderr, /--force-conflicts takes over/);
  assert.equal(workshop.writesThere, before);
  const forced = await workshop.promote('--yes', 'other', '--force-conflicts');
  assert.equal(forced.code, 0, forced.stderr);
  const key = { namespace: 'default', name: 'other' };
  assert.notEqual(
    (await workshop.there.client.of<FunctionObject>(functionType).get(key)).spec.timeout,
    '9s',
  );
});

test('promote says where somebody may not write', async () => {
  await using workshop = await open();
  await fillShop(workshop.here);
  const accounts = workshop.there.client.of(coreType('ServiceAccount', 'serviceaccounts'));
  const key = { namespace: 'default', name: 'guest' };
  await accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: key });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await accounts.createSubresource(key, { subresource: 'token', body });
  const token = typeof status === 'object' && status !== null && 'token' in status && status.token;
  const file = join(workshop.place, 'there');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/token: .*/, `token: ${token}`), { mode: 0o600 });
  const { code, stderr } = await workshop.promote('--yes');
  assert.equal(code, 1);
  assert.match(stderr, /function\/orders: .*forbidden/);
  assert.match(stderr, /ask for the role edit/);
});
