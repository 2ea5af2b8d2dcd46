/** A Runner as it is in a Pod, and the front that it connects to, with tokens of a real API. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type ApiServer,
  createApiServer,
  createCertificates,
  type TlsIdentity,
} from '@fnlet/apiserver';
import { isJsonObject, silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import type { PodArtifact, PodCommand, PodHello, RunnerReport } from '@fnlet/invocation';
import { podRunnerEntry } from '@fnlet/runtime-node';
import { openMemoryStore } from '@fnlet/store';
import { ArtifactArchives } from '../src/cluster/artifact-archives.ts';
import { identifyByTokenReview } from '../src/cluster/pod-identity.ts';
import type { RunnerConnection } from '../src/cluster/runner-connection.ts';
import { RunnerFront } from '../src/cluster/runner-front.ts';
import { podType } from '../src/instance-pod.ts';
import { pythonPodRunnerArguments } from '../src/python-runner.ts';

/** A Runner in some language, and what it is given. */
interface Program {
  readonly name: string;
  readonly skip: string | false;
  readonly command: readonly string[];
  readonly runtime: string;
  readonly folder: 'node_modules' | 'site-packages';
  /** A package `greeting` with one function. */
  readonly greeting: { readonly file: string; readonly text: string };
  readonly entry: string;
  /** Answers with the greeting of $NAME. */
  readonly greets: string;
  /** Answers with the body of its request. */
  readonly echoes: string;
  readonly broken: string;
  /** Ends its process with 3 as it is loaded. */
  readonly ends: string;
}

const python = findPython();

const programs: readonly Program[] = [
  {
    name: 'for Node',
    skip: false,
    command: [process.execPath, podRunnerEntry],
    runtime: 'nodejs24',
    folder: 'node_modules',
    greeting: { file: 'index.js', text: "module.exports = (name) => 'Hi ' + name;" },
    entry: 'handler.mjs',
    greets: "import greet from 'greeting';\nexport default () => greet(process.env.NAME);\n",
    echoes: 'export default (request) => request.text();\n',
    broken: 'export default (',
    ends: 'process.exit(3);\n',
  },
  {
    name: 'for Python',
    skip: python === undefined ? 'no python3 of 3.11 or newer on the path' : false,
    command: [python?.program ?? 'python3', '-B', ...pythonPodRunnerArguments()],
    runtime: python?.runtime ?? 'python3.11',
    folder: 'site-packages',
    greeting: { file: '__init__.py', text: "def greet(name):\n    return 'Hi ' + name\n" },
    entry: 'handler.py',
    greets:
      'import os\nfrom greeting import greet\n' +
      "def handler(request):\n    return greet(os.environ['NAME'])\n",
    echoes: 'def handler(request):\n    return request.text()\n',
    broken: 'def handler(',
    ends: 'import os\nos._exit(3)\n',
  },
];

/** The program behind `python3`, which may be a script that chooses one. */
function findPython(): { readonly program: string; readonly runtime: string } | undefined {
  const question = 'import sys; print(sys.executable, "%d.%d" % sys.version_info[:2])';
  const { stdout } = spawnSync('python3', ['-I', '-c', question], { encoding: 'utf8' });
  const [, program, major, minor] = /^(.+) (\d+)\.(\d+)\s*$/.exec(stdout ?? '') ?? [];
  if (program === undefined || major !== '3' || Number(minor) < 11) return undefined;
  return { program, runtime: `python3.${minor}` };
}

interface Connected {
  readonly connection: RunnerConnection;
  readonly hello: PodHello;
  /** Resolves with the next report of this kind. */
  report(type: RunnerReport['type']): Promise<RunnerReport>;
  readonly closed: Promise<void>;
}

/** Owners, one after the other, and what connects to them. */
class Owner {
  readonly #arrivals: Connected[] = [];
  #onArrival: (() => void) | undefined;

  readonly onRunner = (connection: RunnerConnection, hello: PodHello): void => {
    const reports: RunnerReport[] = [];
    const closed = Promise.withResolvers<void>();
    let wake: (() => void) | undefined;
    connection.listen({
      onReport: (report) => {
        reports.push(report);
        wake?.();
      },
      onClosed: () => closed.resolve(),
    });
    const report = async (type: RunnerReport['type']): Promise<RunnerReport> => {
      for (;;) {
        const found = reports.find((one) => one.type === type);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    this.#arrivals.push({ connection, hello, report, closed: closed.promise });
    this.#onArrival?.();
  };

  async next(): Promise<Connected> {
    for (;;) {
      const arrived = this.#arrivals.shift();
      if (arrived !== undefined) return arrived;
      await new Promise<void>((resolve) => {
        this.#onArrival = resolve;
      });
    }
  }
}

for (const program of programs) {
  describe(`a Runner in a Pod, ${program.name}`, { skip: program.skip }, () => {
    const { runtime, folder, greeting, entry } = program;
    const [file = '', ...words] = program.command;
    const root = mkdtempSync(join(tmpdir(), 'pod-runner-'));
    const archives = new ArtifactArchives(join(root, 'archives'));
    const runners: ChildProcess[] = [];
    let server: ApiServer;
    let client: Client;
    let tls: TlsIdentity;

    before(async () => {
      server = createApiServer({
        store: openMemoryStore(),
        clock: systemClock,
        random: systemRandom,
        logger: silentLogger,
        tokens: [],
      });
      await server.start();
      client = createClient(server.transport(), { fieldManager: 'test', clock: systemClock });
      tls = await createCertificates(systemClock.now());
      writeFileSync(join(root, 'ca.crt'), tls.caPem);
    });

    after(async () => {
      for (const runner of runners) runner.kill('SIGKILL');
      await server[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    });

    /** A Pod, and the file with its token. */
    async function createPod(name: string, audience = 'fnlet-runner'): Promise<string> {
      const pod = await client.of(podType).create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { containers: [{ name: 'runner', image: 'node:24-slim' }] },
      });
      const { uid } = pod.metadata;
      const response = await client.transport.request({
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts/default/token',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            audiences: [audience],
            boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
          },
        },
      });
      const answer: unknown = await response.json();
      assert.ok(isJsonObject(answer) && isJsonObject(answer.status), JSON.stringify(answer));
      const file = join(root, `${name}.token`);
      writeFileSync(file, String(answer.status.token));
      return file;
    }

    async function openFront(
      owner: Owner,
      port = 0,
    ): Promise<{ front: RunnerFront; port: number }> {
      const front = new RunnerFront({
        certificate: tls,
        identify: identifyByTokenReview(client),
        onRunner: owner.onRunner,
        fileOf: async (digest) => archives.find(digest),
        clock: systemClock,
        logger: silentLogger,
      });
      return { front, port: await front.listen({ host: '127.0.0.1', port }) };
    }

    function startRunner(name: string, token: string, port: number): ChildProcess {
      const flags = {
        '--runtime': runtime,
        '--owner': `https://127.0.0.1:${port}`,
        '--token': token,
        '--authority': join(root, 'ca.crt'),
        '--directory': join(root, name),
        '--port': '0',
      };
      const runner = spawn(file, [...words, ...Object.entries(flags).flat()], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {},
      });
      runners.push(runner);
      return runner;
    }

    function writeSource(name: string, files: Readonly<Record<string, string>>): string {
      const source = join(root, name, 'source');
      mkdirSync(source, { recursive: true });
      for (const [file, text] of Object.entries(files)) writeFileSync(join(source, file), text);
      return source;
    }

    const order = (instance: string, artifact: PodArtifact): PodCommand => ({
      type: 'specialise',
      specialisation: {
        ...{ namespace: 'demo', function: 'hello', revision: 'hello-1', instance },
        ...{ runtime, handler: 'default' },
        env: { NAME: 'Ada' },
        limits: { timeoutMs: 10_000, bodyBytesMax: 1_000_000, drainMs: 10_000 },
      },
      artifact,
    });

    test('is given its code, serves, outlives its owner, and tells the next one what it is', async (t) => {
      const first = new Owner();
      const { front, port } = await openFront(first);
      const runner = startRunner('a', await createPod('a'), port);
      const { connection, hello, report, closed } = await first.next();
      assert.deepEqual(hello.state, { phase: 'warm' });
      assert.equal(connection.pod.name, 'a');
      assert.equal(connection.pod.namespace, 'default');

      const packages = join(root, 'packages', folder);
      mkdirSync(join(packages, 'greeting'), { recursive: true });
      writeFileSync(join(packages, 'greeting', greeting.file), greeting.text);
      const source = writeSource('artifact-a', { [entry]: program.greets });
      symlinkSync(packages, join(source, folder));
      const artifact = await archives.of(source);
      assert.equal(artifact.dependencies?.folder, folder);
      assert.ok(artifact.source.inline !== undefined);
      connection.send(order('a', artifact));
      await report('ready');
      assert.equal(await call(connection.port), 'Hi Ada');

      // The owner ends; calls go on; the next owner hears what the Pod is.
      await front[Symbol.asyncDispose]();
      await closed;
      assert.equal(await call(connection.port), 'Hi Ada');
      const second = new Owner();
      const next = await openFront(second, port);
      t.after(() => next.front[Symbol.asyncDispose]());
      const again = await second.next();
      const instance = { namespace: 'demo', revision: 'hello-1', instance: 'a' };
      assert.deepEqual(again.hello.state, { phase: 'ready', instance });

      // It is specialised once.
      again.connection.send(order('b', artifact));
      assert.equal(await call(connection.port), 'Hi Ada');
      again.connection.send({ type: 'drain' });
      const [code] = await once(runner, 'exit');
      assert.equal(code, 0);
      await again.closed;
    });

    test('that cannot load its code, or get it, says why', async (t) => {
      const owner = new Owner();
      const { front, port } = await openFront(owner);
      t.after(() => front[Symbol.asyncDispose]());
      startRunner('b', await createPod('b'), port);
      const broken = await owner.next();
      const source = writeSource('artifact-b', { [entry]: program.broken });
      broken.connection.send(order('b', await archives.of(source)));
      const failed = await broken.report('failed');
      assert.ok(failed.type === 'failed');
      assert.equal(failed.failure.code, 'SyntaxError');
      assert.equal(failed.failure.file, entry);

      startRunner('c', await createPod('c'), port);
      const missing = await owner.next();
      missing.connection.send(order('c', { source: { digest: '0'.repeat(64) } }));
      const lost = await missing.report('failed');
      assert.ok(lost.type === 'failed');
      assert.match(lost.failure.message, /the owner answered 404/);

      startRunner('d', await createPod('d'), port);
      const tampered = await owner.next();
      const { source: real } = await archives.of(source);
      tampered.connection.send(order('d', { source: { ...real, digest: '1'.repeat(64) } }));
      const refused = await tampered.report('failed');
      assert.ok(refused.type === 'failed');
      assert.match(refused.failure.message, /found digest/);
    });

    test('has calls wait that come before its code, and refuses them when none comes', async (t) => {
      const owner = new Owner();
      const asked = Promise.withResolvers<void>();
      const given = Promise.withResolvers<void>();
      const source = writeSource('artifact-j', { [entry]: program.echoes });
      const artifact = await archives.of(source);
      const { digest } = artifact.source;
      const front = new RunnerFront({
        ...{ certificate: tls, identify: identifyByTokenReview(client), clock: systemClock },
        ...{ onRunner: owner.onRunner, logger: silentLogger },
        fileOf: async (wanted) => {
          asked.resolve();
          await given.promise;
          return archives.find(wanted);
        },
      });
      const port = await front.listen({ host: '127.0.0.1', port: 0 });
      t.after(() => front[Symbol.asyncDispose]());
      startRunner('j', await createPod('j'), port);
      const waits = await owner.next();
      assert.equal(await call(waits.connection.port), 'No function is loaded');
      waits.connection.send(order('j', { source: { digest } }));
      await waits.report('expecting');
      const answer = call(waits.connection.port);
      // Its files are asked for, and not there yet.
      await asked.promise;
      given.resolve();
      assert.equal(await answer, '');

      startRunner('k', await createPod('k'), port);
      const fails = await owner.next();
      fails.connection.send(order('k', { source: { digest: '0'.repeat(64) } }));
      await fails.report('expecting');
      assert.equal(await call(fails.connection.port), 'No function is loaded');
    });

    test('is not heard with a token that is not of a Pod, or not for this', async (t) => {
      const owner = new Owner();
      const { front, port } = await openFront(owner);
      t.after(() => front[Symbol.asyncDispose]());
      const wrong = join(root, 'wrong.token');
      writeFileSync(wrong, 'nonsense');
      for (const token of [wrong, await createPod('e', 'https://kubernetes.default.svc')]) {
        const runner = startRunner('e', token, port);
        assert.match(await firstLine(runner), /Cannot reach the controller.*answered 401/);
        runner.kill('SIGKILL');
        await once(runner, 'exit');
      }
      // What the API knows no more counts no more.
      const token = await createPod('f');
      await client
        .of(podType)
        .delete({ namespace: 'default', name: 'f' }, { gracePeriodSeconds: 0 });
      assert.match(await firstLine(startRunner('f', token, port)), /answered 401/);
    });

    test('ends by a signal once the calls in flight are answered', async (t) => {
      const owner = new Owner();
      const { front, port } = await openFront(owner);
      t.after(() => front[Symbol.asyncDispose]());
      const runner = startRunner('g', await createPod('g'), port);
      const { connection, report, closed } = await owner.next();
      const source = writeSource('artifact-g', { [entry]: program.echoes });
      connection.send(order('g', await archives.of(source)));
      await report('ready');

      const caller = connect(connection.port, '127.0.0.1');
      caller.setEncoding('utf8');
      caller.write(
        'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n',
      );
      // It is in flight from here on.
      const [taken] = await once(caller, 'data');
      assert.match(taken, /^HTTP\/1.1 100 /);
      runner.kill('SIGTERM');
      await nobodyListens(connection.port);
      assert.equal(runner.exitCode, null);
      caller.write('last');
      const [answer] = await once(caller, 'data');
      assert.match(answer, /^HTTP\/1.1 200 /);
      caller.destroy();
      const [code] = await once(runner, 'exit');
      assert.equal(code, 0);
      await closed;
    });

    test('says which file it loads before the first line of it runs', async (t) => {
      const owner = new Owner();
      const { front, port } = await openFront(owner);
      t.after(() => front[Symbol.asyncDispose]());
      const runner = startRunner('i', await createPod('i'), port);
      const { connection, report, closed } = await owner.next();
      const source = writeSource('artifact-i', { [entry]: program.ends });
      connection.send(order('i', await archives.of(source)));
      const [code] = await once(runner, 'exit');
      assert.equal(code, 3);
      const said = await Promise.race([report('loading'), closed]);
      assert.deepEqual(said, { type: 'loading', file: entry });
    });

    test('does not mind what it does not understand', async (t) => {
      const owner = new Owner();
      const { front, port } = await openFront(owner);
      t.after(() => front[Symbol.asyncDispose]());
      const runner = startRunner('h', await createPod('h'), port);
      const { connection, report } = await owner.next();
      const source = writeSource('artifact-h', { [entry]: program.echoes });
      const artifact = await archives.of(source);
      const bad = { source: { ...artifact.source, digest: '../../etc' } };
      connection.send(order('h', bad));
      assert.match(await firstLine(runner), /Found a message that is no command/);
      connection.send({ type: 'rehearse' });
      connection.send(order('h', artifact));
      await report('ready');
      assert.equal(await call(connection.port), '');
    });
  });
}

async function firstLine({ stderr }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stderr ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text;
}

function call(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve(text));
    }).once('error', reject);
  });
}

/** Resolves once new connections are refused. */
async function nobodyListens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (!isOpen) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
