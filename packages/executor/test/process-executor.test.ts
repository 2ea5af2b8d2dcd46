import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { seededRandom } from '@fnlet/base';
import type { Executor, Instance } from '../src/executor.ts';
import { limits } from '../src/limits.ts';
import { createLoopbackAddresses } from '../src/loopback-addresses.ts';
import { testExecutor } from './executor-contract.ts';
import {
  callInstance,
  createProcessHarness,
  isAlive,
  testRuntime,
  waitUntil,
} from './process-harness.ts';
import { revisionFixture } from './revision-fixture.ts';

testExecutor('process executor', () => createProcessHarness());

const revision = revisionFixture();

async function ready(executor: Executor): Promise<Instance> {
  await waitUntil(() => executor.instances()[0]?.phase === 'ready');
  const [instance] = executor.instances();
  assert.ok(instance !== undefined);
  return instance;
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString();
}

it('an Instance answers on its socket and its address, with nothing inherited', async () => {
  await using harness = createProcessHarness();
  harness.executor.ensure(revision, 1);
  const instance = await ready(harness.executor);
  const overSocket: unknown = JSON.parse(await callInstance(instance, 'socket'));
  assert.deepEqual(overSocket, {
    pid: instance.pid,
    inherited: {},
    specialisation: {
      namespace: 'default',
      function: 'hello',
      revision: 'hello-00001',
      instance: instance.id,
      runtime: 'nodejs24',
      sourceDirectory: '/nowhere',
      handler: 'default',
      env: { GREETING: 'hello' },
      limits: revision.limits,
    },
  });
  assert.deepEqual(JSON.parse(await callInstance(instance, 'port')), overSocket);
  if (process.platform === 'linux') {
    assert.match(instance.address?.host ?? '', /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
    assert.equal(instance.address?.port, 8080);
  }
});

it('a warm Runner is given its code in the same tick', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  executor.ensure(revision, 1);
  await ready(executor);
  const next = revisionFixture({ revision: 'hello-00002' });
  // The pool has refilled once a Runner has been given away without a wait.
  await waitUntil(() => {
    executor.ensure(next, 1);
    if (executor.instances(next.id)[0]?.address !== undefined) return true;
    executor.ensure(next, 0);
    return false;
  });
});

it('the log of a crash can be read with previous, line by line', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  executor.ensure(revisionFixture({ handler: 'printing' }), 1);
  const instance = await ready(executor);
  const key = { namespace: 'default', name: instance.id };
  harness.crash(instance);
  await waitUntil(() => executor.instances()[0]?.restarts === 1);
  await ready(executor);
  const lines = (await readAll(executor.readLogs(key, { previous: true }))).split('\n');
  assert.deepEqual(lines.toSorted(), ['', 'a warning', 'first line', 'second line', 'unfinished']);
});

it('an Instance that logs without end fills no more than its files', async () => {
  await using harness = createProcessHarness();
  const { executor, directory } = harness;
  executor.ensure(revisionFixture({ handler: 'flooding' }), 1);
  const { id } = await ready(executor);
  const log = join(directory, 'logs', 'default', id, '0.log');
  await waitUntil(() => existsSync(`${log}.1`));
  for (const path of [log, `${log}.1`]) {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    assert.ok(size <= limits.logFileBytesMax, `${path} has ${size} bytes`);
  }
  executor.evict(id, 0);
});

it('an Instance that leaves and does not end is killed, and replaced', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  executor.ensure(revisionFixture({ handler: 'leaving' }), 1);
  const { pid = 0 } = await ready(executor);
  await waitUntil(() => !isAlive(pid));
  await waitUntil(() => executor.instances()[0]?.lastExit?.signal === 'SIGKILL');
});

it('a fork of an Instance dies with it', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  executor.ensure(revisionFixture({ handler: 'forking' }), 1);
  const { id } = await ready(executor);
  const log = await readAll(executor.readLogs({ namespace: 'default', name: id }));
  const fork = Number(/forked (\d+)/.exec(log)?.[1]);
  assert.ok(isAlive(fork));
  executor.ensure(revision, 0);
  await waitUntil(() => executor.instances().length === 0);
  await waitUntil(() => !isAlive(fork));
});

it('an Instance that ignores everything is killed', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  const stubborn = revisionFixture({ handler: 'stubborn' });
  executor.ensure(stubborn, 1);
  const { pid = 0, id } = await ready(executor);
  executor.ensure(stubborn, 0);
  executor.evict(id, 0);
  await waitUntil(() => executor.instances().length === 0);
  assert.ok(!isAlive(pid));
});

it('an Instance that is removed while it loads for ever is killed', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  const endless = revisionFixture({ handler: 'loading' });
  executor.ensure(endless, 1);
  await waitUntil(() => executor.instances()[0]?.pid !== undefined);
  executor.ensure(endless, 0);
  await waitUntil(() => executor.instances().length === 0);
});

it('tells what a Runner said that cannot start', async () => {
  await using harness = createProcessHarness({
    runtimes: new Map([['nodejs24', testRuntime('--die')]]),
  });
  const { executor } = harness;
  executor.ensure(revision, 1);
  await waitUntil(() => executor.instances()[0]?.phase === 'backingOff');
  const failure = executor.instances()[0]?.lastExit?.failure;
  assert.equal(
    failure?.message,
    'Cannot start a Runner of nodejs24: it ended with code 7 and said: no such thing here',
  );
});

it('tells that the program of a runtime is missing', async () => {
  const runtime = { name: 'nodejs24', command: ['/no/such/program'] };
  await using harness = createProcessHarness({ runtimes: new Map([['nodejs24', runtime]]) });
  const { executor } = harness;
  executor.ensure(revision, 1);
  await waitUntil(() => executor.instances()[0]?.phase === 'backingOff');
  assert.match(executor.instances()[0]?.lastExit?.failure?.message ?? '', /ENOENT/);
});

it('takes a free port when the usual one is in use', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has addresses for each Instance');
  const { host, port } = createLoopbackAddresses('linux', seededRandom(7)).next();
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen({ host, port }, resolve));
  try {
    await using harness = createProcessHarness({ random: seededRandom(7) });
    harness.executor.ensure(revision, 1);
    const instance = await ready(harness.executor);
    assert.notEqual(instance.address?.port, port);
    assert.match(await callInstance(instance, 'port'), /hello-00001/);
  } finally {
    await new Promise((done) => blocker.close(done));
  }
});

it('commands write into a copy of their Instance, not into what its Revision shares', async (t) => {
  await using harness = createProcessHarness();
  const { executor, directory } = harness;
  const source = mkdtempSync(join(tmpdir(), 'executor-source-'));
  t.after(() => rmSync(source, { recursive: true }));
  writeFileSync(join(source, 'handler.js'), 'original');
  executor.ensure(revisionFixture({ sourceDirectory: source }), 1);
  const instance = await ready(executor);
  const key = { namespace: 'default', name: instance.id };
  const run = async (script: string): Promise<string> => {
    const { signal } = new AbortController();
    const command = ['/bin/sh', '-c', script];
    const { stdout } = await executor.exec(key, { command, stdin: false, tty: false, signal });
    return readAll(stdout);
  };
  const path = (await run('pwd; echo changed > handler.js; echo new > new.js')).trim();
  assert.ok(path.startsWith(realpathSync(directory)));
  assert.equal(await run('cat handler.js new.js'), 'changed\nnew\n');
  assert.equal(readFileSync(join(source, 'handler.js'), 'utf8'), 'original');
  assert.deepEqual(readdirSync(source), ['handler.js']);
  const { signal } = new AbortController();
  const fill = `fs.writeFileSync('big', ''); fs.truncateSync('big', 3e8); setInterval(() => {}, 1e6)`;
  const command = [process.execPath, '-e', fill];
  const filling = await executor.exec(key, { command, stdin: false, tty: false, signal });
  assert.equal(await filling.exitCode, 137);
  await waitUntil(() => !existsSync(path));
  await waitUntil(() => executor.instances().every(({ id }) => id !== instance.id));
});

it('close() leaves no process, socket or link behind', async () => {
  await using harness = createProcessHarness();
  const { executor, directory } = harness;
  executor.ensure(revision, 2);
  await waitUntil(() => executor.instances().every(({ phase }) => phase === 'ready'));
  const pids = executor.instances().map(({ pid = 0 }) => pid);
  const sockets = readlinkSync(join(directory, 'sockets'));
  await executor.close();
  assert.deepEqual(pids.filter(isAlive), []);
  assert.ok(!existsSync(sockets));
  assert.ok(!existsSync(join(directory, 'sockets')));
});

it('a runtime has processes from when it is asked for until nobody uses it', async () => {
  const names = ['nodejs24', 'nodejs22'];
  const runtimes = new Map(names.map((name) => [name, { ...testRuntime(), name }]));
  await using harness = createProcessHarness({ runtimes });
  const { executor, directory } = harness;
  const socketsOf = (): number => readdirSync(join(directory, 'sockets')).length;
  await waitUntil(() => socketsOf() === 1);
  executor.ensure(revisionFixture({ runtime: 'nodejs18', runsOn: 'nodejs22' }), 1);
  await ready(executor);
  // Its Instance, and one more that is warm for each of the two.
  await waitUntil(() => socketsOf() === 3);
  executor.ensure(revisionFixture({ runtime: 'nodejs18', runsOn: 'nodejs22' }), 0);
  await waitUntil(() => socketsOf() === 2);
  executor.coolRuntime('nodejs22');
  executor.coolRuntime('nodejs24');
  await waitUntil(() => socketsOf() === 1);
});

it('only the runtimes that were asked for last, and the first one, have warm Runners', async () => {
  const names = [
    'nodejs24',
    ...Array.from({ length: limits.warmRuntimesMax + 2 }, (_, i) => `r${i}`),
  ];
  const runtimes = new Map(names.map((name) => [name, { ...testRuntime(), name }]));
  await using harness = createProcessHarness({ runtimes });
  const { executor, directory } = harness;
  for (const runtime of [...names.slice(1), 'nodejs24']) {
    const wanted = revisionFixture({ revision: `on-${runtime}`, runtime });
    executor.ensure(wanted, 1);
    await ready(executor);
    executor.ensure(wanted, 0);
    await waitUntil(() => executor.instances().length === 0);
  }
  const warm = limits.warmRuntimesMax + 1;
  await waitUntil(() => readdirSync(join(directory, 'sockets')).length === warm);
});

it('a runtime that nobody prepared is told', async () => {
  await using harness = createProcessHarness();
  const { executor } = harness;
  executor.ensure(revisionFixture({ runtime: 'cobol' }), 1);
  await waitUntil(() => executor.instances()[0]?.phase === 'backingOff');
  const message = 'Cannot run runtime "cobol": it is not here, expected one that is';
  assert.equal(executor.instances()[0]?.lastExit?.failure?.message, message);
});
