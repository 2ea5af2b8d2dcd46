/**
 * An operator for what is outside of the cluster, a thousand objects of it, while its function and
 * Fnlet itself are killed: examples/git-repositories.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const example = join(import.meta.dirname, '..', 'examples', 'git-repositories');

/** How long a thousand objects may take on a machine that is busy. */
const patience = { timeoutMs: 120_000 };

const objects = 1_000;
const repositoryType: ResourceType = {
  ...{ group: 'example.dev', version: 'v1', kind: 'GitRepository', plural: 'gitrepositories' },
  namespaced: true,
};
const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};

type Repository = KubeObject & { readonly status?: { readonly path?: string } };

let root: string;
let dataDirectory: string;
let fnlet: FnletProcess;
let client: Client;

async function connect(): Promise<void> {
  fnlet = await startFnlet({ dataDirectory });
  const kubeconfig = await loadKubeconfig({ env: {}, file: fnlet.endpoints.kubeconfig });
  client = createClient(createHttpTransport(kubeconfig), { fieldManager: 'test' });
}

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'git-root-'));
  dataDirectory = await makeDataDirectory();
  await connect();
});
after(async () => {
  await client?.transport.close();
  await fnlet?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function made(): Promise<number> {
  return (await readdir(join(root, 'default')).catch(() => [])).length;
}

/** Creates those of them that are not there yet, some at a time, until Fnlet is gone. */
async function createAll(): Promise<void> {
  const repositories = client.of<KubeObject>(repositoryType);
  const names = Array.from({ length: objects }, (_, index) => `r${index}`);
  const work = names.values();
  const create = async (): Promise<void> => {
    for (const name of work) {
      const metadata = { namespace: 'default', name };
      const spec = { description: `number ${name}` };
      const head = { apiVersion: 'example.dev/v1', kind: 'GitRepository' };
      try {
        await repositories.create(Object({ ...head, metadata, spec }));
      } catch (error) {
        if (!hasCode(error, 'AlreadyExists')) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, create));
}

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

function awake(): Promise<string> {
  return kubectl('get', 'operator', 'gitrepositories', '-o', 'jsonpath={.status.awake}');
}

test('a thousand repositories settle whoever is killed, sleep, and go with their objects', async () => {
  const deploy = ['operator', 'deploy', 'git-repositories.ts', '--env', `GIT_ROOT=${root}`];
  const { code, stderr } = await fnlet.cli(deploy, { cwd: example });
  assert.equal(code, 0, stderr);
  const soon = '{"spec":{"reconcile":{"scale":{"idleAfter":"1s"}}}}';
  await kubectl('patch', 'operator', 'gitrepositories', '--type=merge', '-p', soon);

  const creating = createAll().catch(() => {});
  await until(async () => (await made()) > 100, { what: 'the first repositories', ...patience });
  for (const { metadata } of (await client.of<KubeObject>(podType).list({})).items) {
    await kubectl('delete', 'pod', metadata.name, '--force', '--grace-period=0', '--wait=false');
  }
  await until(async () => (await made()) > 400, { what: 'more repositories', ...patience });
  await fnlet.stop('SIGKILL');
  await creating;
  await client.transport.close();
  await connect();
  await createAll();
  await until(async () => (await made()) === objects, { what: 'all of them', ...patience });
  const settled = ['get', 'operator', 'gitrepositories', '-o'];
  const jsonPath = 'jsonpath={.status.objects.settled} {.status.objects.failing}';
  await until(async () => (await kubectl(...settled, jsonPath)) === `${objects} 0`, {
    what: 'the Operator to be settled',
    ...patience,
  });
  const repositories = client.of<Repository>(repositoryType);
  const { items } = await repositories.list({});
  assert.equal(items.filter(({ status }) => status?.path !== undefined).length, objects);

  await until(async () => (await awake()) === 'false', {
    what: 'its function to sleep',
    ...patience,
  });
  await kubectl('label', 'gitrepository', 'r7', 'tier=small');
  await until(
    async () => {
      const explained = await fnlet.cli(['operator', 'explain', 'gitrepositories', 'r7']);
      return /Filtered: .* of labels/.test(explained.stdout);
    },
    { what: 'the label to be no reason', ...patience },
  );
  assert.equal(await awake(), 'false');
  const changed = '{"spec":{"description":"changed"}}';
  await kubectl('patch', 'gitrepository', 'r7', '--type=merge', '-p', changed);
  const file = join(root, 'default', 'r7.git', 'description');
  await until(async () => (await readFile(file, 'utf8')) === 'changed\n', {
    what: 'the change to be carried out',
    ...patience,
  });

  await kubectl('delete', 'gitrepositories', '--all', '--wait=false');
  await until(async () => (await made()) === 0, { what: 'all of them to go', ...patience });
  await until(async () => (await repositories.list({})).items.length === 0, {
    what: 'their objects to go',
    ...patience,
  });
});
