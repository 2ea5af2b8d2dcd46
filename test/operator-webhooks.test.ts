/** The webhooks of an operator that runs as a process of its own, asked by Fnlet's API over TLS. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type Finished, type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const root = join(import.meta.dirname, '..');
const program = join(root, 'packages', 'cli', 'bin', 'fnlet.js');

const source = `import { ConfigMap, defineKind, field, mutating, operator, ready, validating } from 'fnlet/operator';

export const Greeting = defineKind({
  group: 'example.dev', version: 'v2', kind: 'Greeting', description: 'A greeting.',
  spec: {
    to: field.text('Who is greeted.'),
    by: field.text('Who greets.', { optional: true }),
  },
  olderVersions: {
    v1: {
      spec: { name: field.text('Who is greeted.') },
      deprecation: 'example.dev/v1 Greeting is deprecated; use v2',
      toNewest: ({ spec, metadata }) => ({
        spec: { to: spec.name, ...(metadata.annotations?.by ? { by: metadata.annotations.by } : {}) },
      }),
      fromNewest: ({ spec, metadata }) => ({
        spec: { name: spec.to },
        annotations: { ...metadata.annotations, ...(spec.by ? { by: spec.by } : {}) },
      }),
    },
  },
});

export default operator(Greeting, {
  owns: [ConfigMap],
  webhooks: [
    mutating(Greeting, ({ object, user }) =>
      object && { object: { ...object, spec: { by: user.name, ...object.spec } } }),
    validating(Greeting, ({ object }) =>
      object?.spec.to === 'nobody' ? { denied: 'spec.to must be somebody', code: 422 } : undefined),
  ],
  reconcile: ({ object: { metadata, spec } }) => ({
    children: [ConfigMap.of({
      metadata: { name: metadata.name },
      data: { text: spec.by + ' greets ' + spec.to },
    })],
    conditions: [ready()],
  }),
});
`;

function greetingType(version: string): ResourceType {
  const names = { kind: 'Greeting', plural: 'greetings', namespaced: true };
  return { group: 'example.dev', version, ...names };
}
const configMaps = { ...greetingType('v1'), group: '', kind: 'ConfigMap', plural: 'configmaps' };

interface Greeting extends KubeObject {
  readonly spec: Readonly<Record<string, string>>;
}

let fnlet: FnletProcess;
let cwd: string;
let client: Client;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-operator-webhooks-'));
  await writeFile(join(cwd, 'greeting.ts'), source);
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
  fnlet = await startFnlet();
  const kubeconfig = await loadKubeconfig({ env: {}, file: fnlet.endpoints.kubeconfig });
  client = createClient(createHttpTransport(kubeconfig), { fieldManager: 'test' });
});
after(async () => {
  await client.transport.close();
  await fnlet[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

/** The operator's process; `until` resolves once it has said that it runs. */
async function runOperator(): Promise<AsyncDisposable & { stop(): Promise<number | null> }> {
  const env = { ...process.env, KUBECONFIG: fnlet.endpoints.kubeconfig };
  const child: ChildProcess = spawn(process.execPath, [program, 'operator', 'run', 'greeting.ts'], {
    cwd,
    env,
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  await until(() => Promise.resolve(said.includes('Running')), { what: 'the operator to run' });
  return {
    stop: () => end('SIGTERM'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}

function greeting(version: string, name: string, spec: Greeting['spec']): Greeting {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: `example.dev/${version}`, kind: 'Greeting', metadata, spec };
}

async function textOf(name: string): Promise<unknown> {
  const found = await client
    .of<KubeObject & { readonly data?: { readonly text?: string } }>(configMaps)
    .tryGet({ namespace: 'default', name });
  return found?.data?.text;
}

test('a definition that is printed says where it is converted, if that is known', async () => {
  const print = (...args: string[]): Promise<Finished> =>
    runProgram(process.execPath, [program, 'operator', 'crd', 'greeting.ts', ...args], {
      ...{ cwd, env: { PATH: process.env.PATH ?? '' } },
    });
  const unsaid = await print();
  assert.doesNotMatch(unsaid.stdout, /strategy: Webhook/);
  assert.match(unsaid.stderr, /Older versions lose .* --webhook-service/);
  const { stdout, stderr } = await print('--webhook-service', 'greetings/operator');
  assert.equal(stderr, '');
  assert.match(stdout, /strategy: Webhook/);
  assert.match(stdout, /namespace: greetings\n +name: operator\n +port: 443/);
});

test('run() serves the webhooks of its operators, and has told the API before it runs', async () => {
  await using operator = await runOperator();
  const [old, newest] = ['v1', 'v2'].map((version) => client.of<Greeting>(greetingType(version)));
  assert.ok(old !== undefined && newest !== undefined);

  const made = await newest.create(greeting('v2', 'ada', { to: 'Ada' }));
  assert.deepEqual(
    made.spec,
    { to: 'Ada', by: 'kubernetes-admin' },
    'changed by the mutating webhook',
  );
  await assert.rejects(newest.create(greeting('v2', 'none', { to: 'nobody' })), {
    message:
      'admission webhook "validate.greetings.example.dev" denied the request: ' +
      'spec.to must be somebody',
  });

  const converted = await old.get({ namespace: 'default', name: 'ada' });
  assert.deepEqual(converted.spec, { name: 'Ada' });
  assert.equal(converted.metadata.annotations?.by, 'kubernetes-admin');
  await old.create(greeting('v1', 'bob', { name: 'Bob' }));
  const bob = await newest.get({ namespace: 'default', name: 'bob' });
  assert.deepEqual(
    bob.spec,
    { to: 'Bob', by: 'kubernetes-admin' },
    'asked about it in the newest version',
  );

  for (const [name, text] of [
    ['ada', 'kubernetes-admin greets Ada'],
    ['bob', 'kubernetes-admin greets Bob'],
  ] as const) {
    await until(async () => (await textOf(name)) === text, { what: text });
  }
  assert.equal(await operator.stop(), 0);
  await assert.rejects(newest.create(greeting('v2', 'eve', { to: 'Eve' })), {
    message: /failed calling webhook "mutate\.greetings\.example\.dev"/,
  });

  await using again = await runOperator();
  const eve = await newest.create(greeting('v2', 'eve', { to: 'Eve' }));
  assert.equal(eve.spec.by, 'kubernetes-admin', 'trusted again, wherever it listens now');
  assert.equal(await again.stop(), 0);
});
