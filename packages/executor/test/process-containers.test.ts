import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import type { AttachedContainer } from '../src/container-attachments.ts';
import type { ContainerExit, ContainerStart } from '../src/container-runtime.ts';
import { createProcessContainers, type ProcessContainers } from '../src/process-containers.ts';
import { createReaper } from '../src/reaper.ts';
import { waitUntil } from './process-harness.ts';

const pod = 'a3f1';

interface Bench extends AsyncDisposable {
  readonly containers: ProcessContainers;
  readonly directory: string;
  /** Starts a shell script; resolves with its end. */
  run(script: string, more?: Partial<ContainerStart>): Promise<ContainerExit>;
  log(container?: string, previous?: boolean): Promise<string>;
}

function openBench(): Bench {
  const directory = mkdtempSync(join(tmpdir(), 'containers-test-'));
  const base = { clock: systemClock, logger: silentLogger };
  const reaper = createReaper(base);
  const containers = createProcessContainers({ ...base, directory, reaper, random: systemRandom });
  return {
    containers,
    directory,
    run: (script, more = {}) =>
      new Promise((resolve) => {
        containers.start({
          ...{ pod, container: 'main', run: 0, key: { namespace: 'default', name: 'web' } },
          ...{ command: ['/bin/sh', '-c', script], env: { PATH: '/usr/bin:/bin' }, mounts: [] },
          ...more,
          onExit: resolve,
        });
      }),
    async log(container = 'main', previous = false) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of containers.readLogs({ pod, container }, { previous })) {
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString();
    },
    async [Symbol.asyncDispose]() {
      await containers.close(0);
      await reaper.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

test('a container runs with its environment alone, and its output is kept', async () => {
  await using bench = openBench();
  const env = { PATH: '/usr/bin:/bin', COLOUR: 'red' };
  const exit = await bench.run('env | sort; echo wrong >&2; exit 3', { env });
  assert.deepEqual(exit, { exitCode: 3, signal: 0 });
  const lines = (await bench.log()).trim().split('\n');
  // PWD and its like are the shell's own.
  const declared = lines.filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line));
  assert.deepEqual(declared.sort(), ['COLOUR=red', 'PATH=/usr/bin:/bin', 'wrong']);
});

const streams = { stdin: true, stdinOnce: true, tty: false };
const main = { pod, container: 'main' };

/** Attaches as soon as it runs. */
function attachTo(
  { containers }: Bench,
  { stdin = true, signal = new AbortController().signal } = {},
): AttachedContainer {
  return containers.attach(main, { stdin, signal });
}

test('who attaches writes to its input, which ends with them, and reads both outputs', async () => {
  await using bench = openBench();
  const ended = bench.run('echo wrong >&2; exec cat', { streams });
  const { stdin, stdout, stderr } = attachTo(bench);
  stdin?.end('first\nsecond');
  assert.deepEqual([await text(stdout), await text(stderr)], ['first\nsecond', 'wrong\n']);
  assert.equal((await ended).exitCode, 0);
  assert.match(await bench.log(), /second/);
});

test('an input that ends with nobody stays open for the next', async () => {
  await using bench = openBench();
  const ended = bench.run('read a; read b; echo $a $b', {
    streams: { ...streams, stdinOnce: false },
  });
  const first = attachTo(bench);
  first.stdin?.end('one\n');
  const leaving = new AbortController();
  const second = attachTo(bench, { signal: leaving.signal });
  leaving.abort();
  await second.ended;
  attachTo(bench).stdin?.end('two\n');
  assert.equal(await text(first.stdout), 'one two\n');
  assert.equal((await ended).exitCode, 0);
});

test('an input that ends with the first ends when they leave without a word', async () => {
  await using bench = openBench();
  const ended = bench.run('cat; echo over', { streams });
  const leaving = new AbortController();
  attachTo(bench, { signal: leaving.signal });
  const watching = attachTo(bench, { stdin: false });
  leaving.abort();
  assert.equal(await text(watching.stdout), 'over\n');
  assert.equal((await ended).exitCode, 0);
});

test('a container without an input reads its end, whoever attaches', async () => {
  await using bench = openBench();
  const ended = bench.run('sleep 0.3; cat; echo over');
  const { stdin, stdout } = attachTo(bench);
  stdin?.end('not read');
  assert.equal(await text(stdout), 'over\n');
  assert.equal((await ended).exitCode, 0);
});

test('a container with a terminal shows what has no end of line, and takes its size', async (t) => {
  if (!existsSync('/usr/bin/script')) return t.skip('there is no /usr/bin/script');
  await using bench = openBench();
  const script =
    'printf "name? "; read name; until stty size | grep -q "17 91"; do :; done; echo "hello $name"; exit 4';
  const ended = bench.run(script, { streams: { ...streams, tty: true } });
  const { stdin, stdout, resize } = attachTo(bench);
  let shown = '';
  stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  resize(91, 17);
  await waitUntil(() => shown.includes('name? '));
  stdin?.write('Ada\n');
  assert.equal((await ended).exitCode, 4);
  assert.match(shown, /hello Ada\r\n/);
});

test('nobody can be attached to what does not run', async () => {
  await using bench = openBench();
  await bench.run('exit 0');
  assert.throws(() => attachTo(bench), { code: 'InstanceNotFound' });
});

test('the log of the run before can be read', async () => {
  await using bench = openBench();
  await bench.run('echo one');
  await assert.rejects(bench.log('main', true), { code: 'LogsNotFound' });
  await bench.run('echo two', { run: 1 });
  assert.deepEqual([await bench.log(), await bench.log('main', true)], ['two\n', 'one\n']);
});

test('a signal reaches everything that a container started', async () => {
  await using bench = openBench();
  const { containers } = bench;
  let exit: ContainerExit | undefined;
  const process = containers.start({
    ...{ pod, container: 'main', run: 0, key: { namespace: 'default', name: 'web' } },
    ...{
      command: ['/bin/sh', '-c', 'sleep 60 & echo up; wait'],
      env: { PATH: '/bin' },
      mounts: [],
    },
    onExit: (ended) => {
      exit = ended;
    },
  });
  for await (const _ of containers.readLogs({ pod, container: 'main' }, { follow: true })) break;
  process.signal('SIGTERM');
  await waitUntil(() => exit !== undefined);
  assert.deepEqual(exit, { exitCode: 143, signal: 15 });
});

test('a program that is not there has not begun', async () => {
  await using bench = openBench();
  const exit = await bench.run('', { command: ['/no/such/program'] });
  assert.equal(exit.exitCode, 128);
  assert.match(exit.startError ?? '', /ENOENT/);
});

test('execute() gives the output and the end of a command, and cuts off a slow one', async () => {
  await using bench = openBench();
  const command = {
    ...{ pod, container: 'main', env: { PATH: '/usr/bin:/bin' }, mounts: [] },
    command: ['/bin/sh', '-c', 'echo hi; exit 2'],
  };
  const { signal } = new AbortController();
  const done = await bench.containers.execute(command, { timeoutMs: 5_000, signal });
  assert.deepEqual(done, { exitCode: 2, signal: 0, output: 'hi\n', timedOut: false });
  const slow = { ...command, command: ['/bin/sleep', '60'] };
  const late = await bench.containers.execute(slow, { timeoutMs: 20, signal });
  assert.equal(late.timedOut, true);
});

test('volumes are where a container expects them, and nobody else sees them', async (context) => {
  await using bench = openBench();
  const { containers } = bench;
  if (!containers.canMount) return context.skip('this machine gives no mount namespaces');
  const content = Buffer.from('value');
  const files = [{ path: 'deep/key', content, mode: 0o644 }];
  containers.setVolumes(pod, [
    { name: 'settings', files },
    { name: 'scratch', files: [] },
  ]);
  const script = [
    'cat /etc/fnlet-test/deep/key',
    'touch /etc/fnlet-test/new 2>&1 | grep -o Read-only',
    'echo kept > /fnlet-test-scratch/file',
    'cat /fnlet-test-one',
    'pwd',
    'ls -d /etc/passwd',
  ].join('; ');
  const exit = await bench.run(script, {
    workingDirectory: '/fnlet-test-scratch',
    mounts: [
      { volume: 'settings', subPath: '', mountPath: '/etc/fnlet-test', readOnly: true },
      { volume: 'scratch', subPath: '', mountPath: '/fnlet-test-scratch', readOnly: false },
      { volume: 'settings', subPath: 'deep/key', mountPath: '/fnlet-test-one', readOnly: true },
    ],
  });
  assert.equal(exit.exitCode, 0, await bench.log());
  assert.deepEqual((await bench.log()).replaceAll('value', 'value\n').trim().split('\n'), [
    'value',
    'Read-only',
    'value',
    '/fnlet-test-scratch',
    '/etc/passwd',
  ]);
  containers.setVolumes(pod, [{ name: 'scratch', files: [] }]);
  const again = { volume: 'scratch', subPath: '', mountPath: '/scratch', readOnly: false };
  await bench.run('cat /scratch/file; ls -d /etc/fnlet-test', { run: 1, mounts: [again] });
  assert.match(await bench.log(), /^kept\n.*No such file/);
});

test('a mount point behind a symbolic link is made in the view alone', async (context) => {
  await using bench = openBench();
  const { containers, directory } = bench;
  if (!containers.canMount) return context.skip('this machine gives no mount namespaces');
  const real = join(directory, 'real');
  mkdirSync(real);
  writeFileSync(join(real, 'there'), '');
  symlinkSync(real, join(directory, 'link'));
  containers.setVolumes(pod, [{ name: 'scratch', files: [] }]);
  const mount = { volume: 'scratch', subPath: '', readOnly: false };
  const mounts = ['a/deep', 'a/other', 'b'].map((path) => {
    return { ...mount, mountPath: join(directory, 'link', path) };
  });
  const exit = await bench.run(`ls ${real}; touch ${real}/a/other/x; ls ${real}/b`, { mounts });
  assert.equal(exit.exitCode, 0, await bench.log());
  assert.equal(await bench.log(), 'a\nb\nthere\nx\n');
  assert.deepEqual(readdirSync(real), ['there']);
});

test('a volume is made what its sources say now', async () => {
  await using bench = openBench();
  const { containers } = bench;
  const file = (path: string, text: string) => {
    return { path, content: Buffer.from(text), mode: 0o600 };
  };
  containers.setVolumes(pod, [{ name: 'v', files: [file('a', '1'), file('b', '2')] }]);
  containers.setVolumes(pod, [{ name: 'v', files: [file('b', '3')] }]);
  await bench.run(`cd ../volumes/v; ls; cat b`);
  assert.equal(await bench.log(), 'b\n3\n');
  const outside = { name: 'v', files: [file('../../x', '')] };
  assert.throws(() => containers.setVolumes(pod, [outside]), { code: 'InvalidVolume' });
  assert.throws(() => containers.removePod('../..'), { code: 'InvalidVolume' });
});

test('locate() finds programs as a shell does', async () => {
  await using bench = openBench();
  const { containers } = bench;
  assert.equal(containers.locate('sh', '/nowhere:/bin'), '/bin/sh');
  assert.equal(containers.locate('/bin/sh', ''), '/bin/sh');
  assert.equal(containers.locate('no-such-program', '/bin'), undefined);
  assert.equal(containers.locate('etc', '/'), undefined);
});

test('exec() runs a command beside a container, with its environment', async () => {
  await using bench = openBench();
  const { signal } = new AbortController();
  const options = { command: ['sh', '-c', 'echo $COLOUR'], stdin: false, tty: false, signal };
  const key = { pod, container: 'main' };
  await assert.rejects(bench.containers.exec(key, options), { code: 'InstanceNotFound' });
  const env = { PATH: '/bin', COLOUR: 'red' };
  const running = bench.run('sleep 60', { env });
  const { stdout, exitCode } = await bench.containers.exec(key, options);
  let output = '';
  for await (const chunk of stdout) output += Buffer.from(chunk).toString();
  assert.deepEqual([output, await exitCode], ['red\n', 0]);
  await bench.containers.close(0);
  assert.equal((await running).signal, 15);
});

test('removePod() leaves nothing', async () => {
  await using bench = openBench();
  await bench.run('echo one');
  assert.deepEqual(bench.containers.listPods(), [pod]);
  bench.containers.removePod(pod);
  assert.deepEqual(bench.containers.listPods(), []);
  assert.equal(await bench.log(), '');
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('probe() takes 200 to 399 for well, and a connection that opens', async () => {
  await using bench = openBench();
  const server = createServer((request, response) => {
    const code = Number(request.url?.slice(1));
    if (code > 0) response.writeHead(code).end('said');
  });
  const port = await listen(server);
  const ask = (kind: 'http' | 'tcp', path: string, at = port) =>
    bench.containers.probe({
      ...{ kind, path, port: at, host: '127.0.0.1', secure: false, headers: {} },
      timeoutMs: path === '/0' ? 50 : 5_000,
    });
  assert.deepEqual(await ask('http', '/204'), { ok: true, message: '' });
  assert.equal((await ask('http', '/302')).ok, true);
  assert.deepEqual(await ask('http', '/503'), {
    ok: false,
    message: 'HTTP probe failed with statuscode: 503',
  });
  assert.match((await ask('http', '/0')).message, /context deadline exceeded/);
  assert.equal((await ask('tcp', '/')).ok, true);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.match((await ask('tcp', '/')).message, /^dial tcp 127\.0\.0\.1:\d+: .*ECONNREFUSED/);
});
