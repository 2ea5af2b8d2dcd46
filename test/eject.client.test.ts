/** What fnlet eject writes answers as the Function did, with Fnlet stopped. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { type GitServer, startGitServer } from '../packages/executor/test/git-server.ts';
import { findPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const python = findPython();
const env = {
  ...Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ''])),
  PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
};

interface Call {
  readonly path: string;
  readonly body?: string;
}

/** A Function, and what it answered while Fnlet ran. */
interface Sample {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly calls: readonly Call[];
}

const typed = `import lodash from 'lodash';
import { greet } from './lib/greet.ts';
enum Size { Pair = 2 }
export default (request: Request): unknown => {
  const { searchParams } = new URL(request.url);
  return { greeting: greet(searchParams.get('name') ?? 'you'), chunks: lodash.chunk([1, 2, 3], Size.Pair) };
};
`;

const samples: readonly Sample[] = [
  {
    name: 'typed',
    spec: {
      source: {
        files: {
          'handler.ts': typed,
          'lib/greet.ts': 'export const greet = (name: string): string => process.env.WORD + name;',
          'package.json': '{"type": "module", "dependencies": {"lodash": "4.17.21"}}',
        },
      },
      env: [{ name: 'WORD', value: 'Hello ' }],
    },
    calls: [{ path: '/?name=Ada' }],
  },
  {
    name: 'from-kyma',
    spec: {
      compatibility: 'kyma',
      source: {
        inline: `module.exports = { main: async function (event, context) {
          if (event.data === 'fail') throw 'it failed';
          return [event.data, context['function-name'], event.extensions.request.query.a];
        } };`,
      },
    },
    calls: [{ path: '/?a=1' }, { path: '/', body: 'text' }, { path: '/', body: 'fail' }],
  },
  {
    name: 'from-git',
    spec: {},
    calls: [{ path: '/' }],
  },
  {
    name: 'snake',
    spec: {
      runtime: pythonName,
      dependencies: 'idna==3.10\n',
      source: {
        inline:
          'import idna\nfrom fnlet import Response\n' +
          'def handler(request):\n' +
          '    return Response(idna.encode(request.query.name).decode(), status=201)\n',
      },
    },
    calls: [{ path: '/?name=b%C3%BCcher.example' }],
  },
];

let directory: string;
let fnlet: FnletProcess;
let api: TestApi;
let server: GitServer;
const answers = new Map<string, unknown>();

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-ejected-'));
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
  server = await startGitServer();
  server.commit('code.git', { 'hello/handler.js': `module.exports = () => 'from git';` });
  for (const { name, spec, calls } of samples) {
    if (name === 'snake' && python === undefined) continue;
    const git = { url: `${server.url}/code.git`, reference: 'main', directory: 'hello' };
    await api.applyFunction(name, { source: { git }, ...spec });
    await api.waitReady(name);
    answers.set(name, await ask(`${fnlet.endpoints.gateway}/default/${name}`, calls));
    const { code, stderr } = await fnlet.cli(['eject', name, '-d', join(directory, name)]);
    assert.equal(code, 0, stderr);
  }
  const again = await fnlet.cli(['eject', 'typed', '-d', join(directory, 'typed')]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /expected it to be empty/);
  await api.close();
  await fnlet.stop();
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await fnlet[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** What is the same wherever a function runs. */
async function ask(url: string, calls: readonly Call[]): Promise<unknown> {
  const asked = calls.map(async ({ path, body }) => {
    const response = await fetch(url + path, body === undefined ? {} : { method: 'POST', body });
    const type = response.headers.get('content-type');
    return { status: response.status, type, body: await response.text() };
  });
  return Promise.all(asked);
}

/** Runs what the Dockerfile runs, and gives the address. */
async function serve(name: string, command: readonly string[], variables = {}): Promise<Served> {
  const project = join(directory, name);
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, '0', '127.0.0.1'], {
    cwd: project,
    env: { ...env, ...variables },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const port = (): string | undefined => /Listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
  await until(() => port() !== undefined || child.exitCode !== null, { what: 'the project' });
  assert.ok(port() !== undefined, said);
  const url = `http://127.0.0.1:${port()}`;
  await until(async () => (await fetch(`${url}/readyz`)).ok, { what: 'the function' });
  return { url, stop: () => end(child) };
}

interface Served {
  readonly url: string;
  readonly stop: () => Promise<number | null>;
}

function end(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return ended;
}

async function run(name: string, command: readonly string[]): Promise<void> {
  const [program = '', ...args] = command;
  const { code, stdout, stderr } = await runProgram(program, args, {
    cwd: join(directory, name),
    env,
  });
  assert.equal(code, 0, `${command.join(' ')}: ${stdout}${stderr}`);
}

async function assertSame(name: string, served: Served): Promise<void> {
  const calls = samples.find((sample) => sample.name === name)?.calls ?? [];
  assert.deepEqual(await ask(served.url, calls), answers.get(name));
  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  assert.match(metrics, /^function_calls_total/m);
  assert.equal(await served.stop(), 0);
}

for (const name of ['typed', 'from-kyma', 'from-git']) {
  test(`${name} answers as before, by npm ci and node`, async () => {
    await run(name, ['npm', 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
    await run(name, ['npm', 'run', 'build']);
    const served = await serve(name, [process.execPath, 'server.mjs'], { WORD: 'Hello ' });
    await assertSame(name, served);
  });
}

const skip = python === undefined && 'no Python 3.11 or newer on the path';
test('a function in Python answers as before, by pip and python', { skip }, async () => {
  await run('snake', [python ?? '', '-m', 'venv', '.venv']);
  const own = join(directory, 'snake', '.venv', 'bin', 'python');
  await run('snake', [own, '-m', 'pip', 'install', '--require-hashes', '-r', 'requirements.txt']);
  await assertSame('snake', await serve('snake', [own, '-X', 'utf8', 'server.py']));
});

test('code that does not load ends the server, and says where', async () => {
  await writeFile(join(directory, 'from-git', 'function', 'handler.js'), 'module.exports = (');
  const args = ['server.mjs', '0', '127.0.0.1'];
  await run('from-git', [process.execPath, 'build.mjs']);
  const cwd = join(directory, 'from-git');
  const { code, stderr } = await runProgram(process.execPath, args, { cwd, env });
  assert.equal(code, 1);
  assert.match(stderr, /SyntaxError: .*handler\.js:1/);
});

test('the source of a repository is that of the commit, and its files are as they were', async () => {
  const read = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');
  assert.equal(await read('typed/function/handler.ts'), typed);
  assert.match(await read('from-git/README.md'), /from commit [0-9a-f]{40} of http/);
  assert.ok(!existsSync(join(directory, 'from-git', 'function', '.git')));
  assert.match(await read('typed/k8s/deployment.yaml'), /value: "?Hello "?/);
});
