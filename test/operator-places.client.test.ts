/**
 * One file with an operator, as `fnlet operator init` writes it, unchanged in three places: in the
 * test kit, in a process of its own, and asleep behind the hub. And one in Python, behind the hub.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findPython, needsPython } from '../runtimes/python/test/python.ts';
import { type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const root = join(import.meta.dirname, '..');

let fnlet: FnletProcess;
let directory: string;
before(async () => {
  fnlet = await startFnlet();
  const cwd = await mkdtemp(join(tmpdir(), 'fnlet-places-'));
  directory = join(cwd, 'card');
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
  const { code, stderr } = await fnlet.cli(['operator', 'init', 'card'], { cwd });
  assert.equal(code, 0, stderr);
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(join(directory, '..'), { recursive: true, force: true });
});

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

async function deploy(file: string, cwd: string): Promise<void> {
  const { code, stderr } = await fnlet.cli(['operator', 'deploy', file], { cwd });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^operator\/\w+ ready after \d+ ms$/m);
}

function textOf(name: string): Promise<string> {
  return kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.text}');
}

test('the file passes its tests, runs as a process, and hands over to the hub', async () => {
  const { PATH = '', HOME = '' } = process.env;
  const args = ['--test', '**/*.test.ts'];
  const kit = await runProgram(process.execPath, args, { cwd: directory, env: { PATH, HOME } });
  assert.equal(kit.code, 0, kit.stdout);

  const source = await readFile(join(directory, 'operator.ts'), 'utf8');
  const ownProcess = spawn(process.execPath, ['operator.ts'], {
    cwd: directory,
    env: { ...process.env, KUBECONFIG: fnlet.endpoints.kubeconfig },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => ownProcess.once('exit', resolve));
  try {
    await until(() => kubectl('apply', '-f', join(directory, 'sample.yaml')), { what: 'its kind' });
    await until(async () => (await textOf('ada')) === 'Hello, Ada!', { what: 'the process' });
  } finally {
    ownProcess.kill('SIGTERM');
    await ended;
  }
  const before = await versionOf('configmap/ada');

  await deploy('operator.ts', directory);
  const spec = [
    'get',
    'operator',
    'cards',
    '-o',
    'jsonpath={.spec.reconcile.source.files.operator\\.ts}',
  ];
  assert.equal(await kubectl(...spec), source);
  await until(async () => (await settled('cards')) === '1', { what: 'the hub to have looked' });
  assert.equal(await versionOf('configmap/ada'), before, 'there was nothing to write');

  await kubectl('patch', 'cards/ada', '--type=merge', '-p', '{"spec":{"greeting":"Bye"}}');
  await until(async () => (await textOf('ada')) === 'Bye, Ada!', { what: 'the hub' });
  await kubectl('delete', 'cards/ada');
  await until(
    async () => (await kubectl('get', 'configmaps', '-o', 'name')).includes('/ada') === false,
    {
      what: 'the ConfigMap to go with its owner',
    },
  );
});

test('the hub runs every example, by the rights that follow from what it declares', async () => {
  const examples = ['website', 'cat-set', 'propagator', 'every-minutes', 'scheduled-jobs'];
  for (const name of examples) {
    const file = `${name}.ts`;
    await deploy(file, join(root, 'examples', name));
  }
  await kubectl('apply', '-f', join(root, 'examples', 'website', 'site.yaml'));
  const pods = (): Promise<string> =>
    kubectl('get', 'pods', '-l', 'example.dev/site=hello', '-o', 'name');
  await kubectl('wait', '--for=condition=Ready', 'website/hello', '--timeout=60s');
  assert.equal((await pods()).trim().split('\n').length, 2);

  await kubectl('create', 'namespace', 'team-a');
  await kubectl('create', 'secret', 'generic', 'registry', '--from-literal=token=a');
  await kubectl('annotate', 'secret', 'registry', 'example.dev/copy-to=team-a,team-b');
  await kubectl('label', 'secret', 'registry', 'example.dev/copied=yes');
  const copy = (): Promise<string> =>
    kubectl('get', 'secret', 'registry', '-n', 'team-a', '-o', 'name');
  await until(async () => (await copy()) === 'secret/registry\n', { what: 'the copy' });
});

test('an operator in Python does behind the hub what its tests say', needsPython, async () => {
  const example = join(root, 'examples', 'python-operator');
  const room = join(root, 'runtimes', 'python');
  const env = { PYTHONPATH: `${room}:${join(room, 'doors')}`, PATH: process.env.PATH ?? '' };
  const unit = ['-B', '-m', 'unittest', 'test_every'];
  const tests = await runProgram(findPython() ?? '', unit, { cwd: example, env });
  assert.equal(tests.code, 0, tests.stderr);

  await deploy('every.py', example);
  const every = {
    apiVersion: 'example.dev/v1',
    kind: 'Every',
    metadata: { name: 'sweep' },
    spec: { minutes: 5, command: ['python3', '-c', 'print(1)'] },
  };
  const input = JSON.stringify(every);
  assert.equal((await fnlet.kubectl(['apply', '-f', '-'], { input })).code, 0);
  const jobs = (): Promise<string> => kubectl('get', 'jobs', '-o', 'name');
  await until(async () => /^job\.batch\/sweep-\d+\n$/.test(await jobs()), { what: 'its Job' });
  const last = (): Promise<string> =>
    kubectl('get', 'everies/sweep', '-o', 'jsonpath={.status.last}');
  await until(async () => (await last()) !== '', { what: 'its status' });
});

function versionOf(name: string): Promise<string> {
  return kubectl('get', name, '-o', 'jsonpath={.metadata.resourceVersion}');
}

function settled(name: string): Promise<string> {
  return kubectl('get', 'operator', name, '-o', 'jsonpath={.status.objects.settled}');
}
