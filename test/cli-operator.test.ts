/** `fnlet operator …`: what its commands print is what a cluster takes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { operatorType } from '@fnlet/api';
import {
  type Client,
  createClient,
  createHttpTransport,
  loadKubeconfig,
  type Transport,
} from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { parseAllDocuments } from 'yaml';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { needsPython } from '../runtimes/python/test/python.ts';
import { type Finished, type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const site = `import { ConfigMap, defineKind, field, operator } from 'fnlet/operator';

export const Site = defineKind({
  group: 'example.dev', version: 'v1', kind: 'Site', shortNames: ['si'],
  description: 'A Site is a page.',
  spec: {
    html: field.text('The page.', { maxLength: 100 }),
    tier: field.choice('What it may cost.', ['small', 'large'], { default: 'small' }),
  },
});

export default operator(Site, {
  owns: [ConfigMap],
  reconcile: ({ object }) => ({
    children: [ConfigMap.of({ metadata: { name: object.metadata.name } })],
  }),
});
`;

let fnlet: FnletProcess;
let cwd: string;
let client: Client;
let transport: Transport;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-cli-operator-'));
  // No "fnlet" is installed beside it: the command brings its own.
  await writeFile(join(cwd, 'site.ts'), site);
  fnlet = await startFnlet();
  transport = createHttpTransport(
    await loadKubeconfig({ env: {}, file: fnlet.endpoints.kubeconfig }),
  );
  client = createClient(transport, { fieldManager: 'test' });
});
after(async () => {
  await transport.close();
  await fnlet[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<Finished> {
  return fnlet.cli(['operator', ...args], { cwd });
}

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.equal(code, 0, `fnlet operator ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

test('crd prints definitions that the API takes, defaults and validates by', async () => {
  const definitions = client.of(resourceType('apiextensions.k8s.io', 'CustomResourceDefinition'));
  await definitions.create(await firstObject('crd', 'site.ts'));
  const sites = client.of(resourceType('example.dev', 'Site'));
  const site = {
    apiVersion: 'example.dev/v1',
    kind: 'Site',
    metadata: { name: 'a', namespace: 'default' },
  };
  const created = await until(() => sites.create({ ...site, spec: { html: '<p>' } }), {
    what: 'sites to be served',
  });
  assert.deepEqual(created.spec, { html: '<p>', tier: 'small' });
  await assert.rejects(
    sites.create({
      ...site,
      metadata: { ...site.metadata, name: 'b' },
      spec: { html: '', tier: 'huge' },
    }),
    /spec\.tier: Unsupported value/,
  );

  const types = await succeed('types', 'sites.example.dev');
  assert.match(types, /readonly tier: 'small' \| 'large';/);
  assert.match(types, /\/\*\* A Site is a page\. \*\//);
});

test('rbac prints an account whose roles name what the operator declares', async () => {
  const documents = parseAllDocuments(
    await succeed('rbac', 'site.ts', '--service-account', 'sites', '-n', 'apps'),
  ).map((document) => document.toJS());
  assert.deepEqual(
    documents.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace]),
    [
      ['ServiceAccount', 'sites', 'apps'],
      ['ClusterRole', 'sites', undefined],
      ['ClusterRoleBinding', 'sites', undefined],
      ['Role', 'sites-leases', 'apps'],
      ['RoleBinding', 'sites-leases', 'apps'],
    ],
  );
  const resources = documents[1].rules.flatMap((rule: { resources: string[] }) => rule.resources);
  assert.deepEqual(resources, [
    'sites',
    'sites/status',
    'sites/finalizers',
    'configmaps',
    'events',
  ]);
  const list = JSON.parse(await succeed('rbac', 'site.ts', '-o', 'json'));
  assert.equal(list.items.length, 5);
});

test('what cannot be used is named, with what to do', async () => {
  await writeFile(join(cwd, 'empty.ts'), 'export const nothing = 1;\n');
  await writeFile(join(cwd, 'broken.ts'), 'export const = 1;\n');
  const empty = await run('crd', 'empty.ts');
  assert.equal(empty.code, exitCodes.failed);
  assert.match(empty.stderr, /Cannot use "empty\.ts": it exports no operator[\s\S]*export default/);
  const broken = await run('rbac', 'broken.ts');
  assert.match(broken.stderr, /Cannot load "broken\.ts"/);
  const missing = await run('types', 'nothing.example.dev');
  assert.equal(missing.code, exitCodes.notFound, missing.stderr);
  await writeFile(join(cwd, 'crd.yaml'), await succeed('crd', 'site.ts'));
  const crd = await succeed('crd', 'site.ts');
  assert.equal(await succeed('crd', 'site.ts', '--webhook-service', 'apps/sites'), crd);
  await writeFile(join(cwd, 'two.yaml'), `${crd}\n---\n${crd.replaceAll(/\bSite/g, 'Page')}`);
  const two = await succeed('types', 'two.yaml');
  assert.equal(two.match(/^import /gm)?.length, 1, 'the file can be used as it is');
  assert.match(two, /interface Site [\s\S]*interface Page /);
  const version = await run('types', 'crd.yaml', '--api-version', 'v9');
  assert.match(version.stderr, /version v9 is not served[\s\S]*Choose one of v1/);
});

async function firstObject(...args: string[]): Promise<KubeObject> {
  const [document] = parseAllDocuments(await succeed(...args));
  return document?.toJS();
}

function resourceType(group: string, kind: string): ResourceType {
  const namespaced = group === 'example.dev';
  return { group, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced };
}

test('deploy --dry-run prints what kubectl can apply, without an API', async () => {
  const args = ['operator', 'deploy', 'site.ts', '--dry-run', '-n', 'apps'];
  const { code, stdout, stderr } = await fnlet.cli(args, { cwd, env: { KUBECONFIG: '/none' } });
  assert.equal(code, 0, stderr);
  const kinds = parseAllDocuments(stdout).map((document) => document.toJS().kind);
  assert.deepEqual(kinds, [
    'CustomResourceDefinition',
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'Operator',
  ]);
  const list = JSON.parse(await succeed('deploy', 'site.ts', '--dry-run', '-o', 'json'));
  assert.deepEqual(list.items.at(-1).spec.reconcile.source, { files: { 'site.ts': site } });
});

test('deploy applies it, and the second time there is nothing to change', async () => {
  const first = await run('deploy', 'site.ts', '--no-wait');
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /^operator\/sites created$/m);
  const operators = client.of<KubeObject>(operatorType);
  const { spec } = await operators.get({ namespace: 'default', name: 'sites' });
  assert.equal(Reflect.get(Object(spec), 'serviceAccountName'), 'sites');
  const second = await run('deploy', 'site.ts', '--no-wait');
  assert.match(second.stderr, /^serviceaccount\/sites unchanged$/m);
  assert.match(second.stderr, /^clusterrole\/default:sites unchanged$/m);
});

test('a file in Python is deployed like one in TypeScript', needsPython, async () => {
  await writeFile(join(cwd, 'words.py'), 'GREETING = "Hello"\n');
  await writeFile(
    join(cwd, 'greetings.py'),
    `from fnlet.operator import ConfigMap, Kind, define_kind, operator
import words
print("noise")
Greeting = define_kind("example.dev/v1", "Greeting", description="A greeting.", spec={})

@operator(Greeting, owns=[ConfigMap], deadline="20s")
def greetings(request):
    return {"status": {"text": words.GREETING}}

@greetings.cleanup
def forget(request):
    return {"finalized": True}
`,
  );
  const printed = JSON.parse(await succeed('deploy', 'greetings.py', '--dry-run', '-o', 'json'));
  const kinds: readonly string[] = printed.items.map(({ kind }: KubeObject) => kind);
  assert.deepEqual([kinds[0], kinds.at(-1)], ['CustomResourceDefinition', 'Operator']);
  const { reconcile, ...declared } = printed.items.at(-1).spec;
  assert.equal(declared.finalize, true);
  assert.equal(declared.deadline, '20s');
  assert.deepEqual(Object.keys(reconcile.source.files), ['greetings.py', 'words.py']);
  assert.equal(reconcile.handler, 'greetings.greetings');
  assert.match(reconcile.runtime, /^python3\.\d+$/);
  assert.equal((await run('deploy', 'greetings.py', '--no-wait')).code, 0);

  await writeFile(join(cwd, 'broken.py'), 'import nowhere\n');
  const broken = await run('deploy', 'broken.py');
  assert.match(broken.stderr, /Cannot load "broken.py": ModuleNotFoundError: No module named/);
});

test('deploy says what it cannot deploy', async () => {
  await writeFile(join(cwd, 'none.ts'), 'export const a = 1;');
  assert.match((await run('deploy', 'none.ts')).stderr, /it exports no operator/);
  const none = await run('deploy', 'nowhere.ts');
  assert.equal(none.code, exitCodes.failed);
  assert.match(none.stderr, /Cannot load "nowhere.ts"/);
});
