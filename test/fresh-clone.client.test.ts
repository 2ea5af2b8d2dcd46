/** Two commands on a fresh clone: it installs once, starts, says where everything is, and stops. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runProgram } from './fnlet-process.ts';
import { until } from './until.ts';

const root = join(import.meta.dirname, '..');
const freePorts = ['--api-port', '0', '--http-port', '0', '--dashboard-port', '0'];

// What a user's shell has: not the Node that runs this test.
const env = {
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((directory) => !directory.includes('node_modules'))
    .join(':'),
  HOME: process.env.HOME ?? '',
};

let clone: string;
before(async () => {
  clone = join(await mkdtemp(join(tmpdir(), 'fnlet-clone-')), 'fnlet');
  const { code, stderr } = await runProgram('git', ['clone', '--quiet', root, clone], { env });
  assert.equal(code, 0, stderr);
});
after(() => rm(join(clone, '..'), { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** `npm start` in a process group of its own, as in a terminal. */
function npmStart(): Started {
  const child = spawn('npm', ['start', '--', ...freePorts], { cwd: clone, env, detached: true });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return { child, output: () => output };
}

async function pressCtrlC({ child }: Started): Promise<void> {
  assert.ok(child.pid);
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await ended;
}

test('npm start installs, starts, and Ctrl-C ends it; the second start does not install', async () => {
  const first = npmStart();
  await until(() => first.output().includes('Next, in another shell'), {
    what: `npm start to be ready`,
    timeoutMs: 150_000,
  });
  assert.match(first.output(), /installing what is missing/);
  for (const text of [/API +https:/, /Gateway +http:/, /Status page +http:/, /kubeconfig +\//]) {
    assert.match(first.output(), text);
  }
  const page = /Status page +(\S+)/.exec(first.output())?.[1] ?? '';
  assert.match(await (await fetch(page)).text(), /Fnlet is running/);
  assert.equal((await stat(join(clone, '.fnlet', 'kubeconfig'))).mode & 0o777, 0o600);
  await pressCtrlC(first);

  const second = npmStart();
  await until(() => second.output().includes('Next, in another shell'), {
    what: 'the second npm start to be ready',
  });
  assert.doesNotMatch(second.output(), /installing/);
  await pressCtrlC(second);
});
