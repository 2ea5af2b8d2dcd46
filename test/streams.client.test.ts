/** What kubectl does with a container: exec, attach, cp, port-forward, logs, top; old and new. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type FnletProcess, kubectlProgram, runProgram, startFnlet } from './fnlet-process.ts';
import { functionManifest } from './function-manifest.ts';
import { until } from './until.ts';

const clients = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients');

// Before 1.30 they speak SPDY alone, later ones try a WebSocket first.
const fetched = (existsSync(clients) ? readdirSync(clients) : [])
  .filter((name) => name.startsWith('kubectl-'))
  .map((name) => ({ name, program: join(clients, name) }));
const kubectls = fetched.length > 0 ? fetched : [{ name: 'kubectl', program: kubectlProgram() }];

const source = `let count = 0;
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/crash')) process.exit(7);
    console.log('call', ++count);
    return new Response('answer ' + count);
  },
};
`;

/** Path and content of every file. */
async function readTree(root: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.sort().map(async (path) => [path, await readFile(path, 'utf8')] as const),
  );
}

interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

let fnlet: FnletProcess;
let directory: string;
let pod: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-streams-'));
  fnlet = await startFnlet();
  const spec = {
    scale: { min: 1 },
    env: [{ name: 'COLOR', value: 'blue' }],
    source: { inline: source },
  };
  const applied = await fnlet.kubectl(['apply', '-f', '-'], { input: functionManifest('f', spec) });
  assert.equal(applied.code, 0, applied.stderr);
  await fnlet.kubectl(['wait', '--for=condition=Ready', 'fn/f', '--timeout=20s']);
  const named = await until(
    async () => (await fnlet.kubectl(['get', 'pods', '-o', 'name'])).stdout.trim(),
    { what: 'the Pod' },
  );
  pod = named.replace('pod/', '');
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

function call(path = '', method = 'GET'): Promise<string> {
  const url = `${fnlet.endpoints.gateway}/default/f${path}`;
  return fetch(url, { method }).then((answer) => answer.text());
}

for (const { name, program } of kubectls) {
  describe(name, () => {
    const start = (args: readonly string[]): ChildProcess =>
      spawn(program, ['--cache-dir', join(directory, name), ...args], {
        env: { PATH: process.env.PATH ?? '', KUBECONFIG: fnlet.endpoints.kubeconfig },
        stdio: ['pipe', 'pipe', 'pipe'],
      });

    function run(args: readonly string[], input: Uint8Array = Buffer.alloc(0)): Promise<Ended> {
      return new Promise((resolve, reject) => {
        const child = start(args);
        const out: Buffer[] = [];
        const err: Buffer[] = [];
        child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
        child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
        child.stdin?.on('error', () => {});
        child.stdin?.end(input);
        child.on('error', reject);
        child.on('close', (code) => {
          resolve({ code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() });
        });
      });
    }

    async function say(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await run(args);
      assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
      return stdout.toString();
    }

    it('runs a command, with its words, environment and exit code', async () => {
      assert.equal(await say('exec', pod, '--', 'echo', 'a b', '$HOME'), 'a b $HOME\n');
      assert.equal(await say('exec', pod, '--', 'sh', '-c', 'echo $COLOR'), 'blue\n');
      const failed = await run(['exec', pod, '--', 'sh', '-c', 'echo why >&2; exit 3']);
      assert.equal(failed.code, 3);
      assert.match(failed.stderr, /^why\ncommand terminated with exit code 3\n$/);
    });

    it('says that there is no such program, Pod or container', async () => {
      const missing = await run(['exec', pod, '--', 'no-such-program']);
      assert.equal(missing.code, 127);
      assert.match(missing.stderr, /"no-such-program": executable file not found in \$PATH/);
      assert.match((await run(['exec', 'no-pod', '--', 'ls'])).stderr, /pods "no-pod" not found/);
      const { code, stderr } = await run(['exec', pod, '-c', 'other', '--', 'ls']);
      assert.equal(code, 1);
      assert.match(stderr, /container other is not valid for pod|container not found/);
    });

    it('pipes ten megabytes in and out as they were', async () => {
      const bytes = randomBytes(10_485_760);
      const { code, stdout } = await run(['exec', '-i', pod, '--', 'cat'], bytes);
      assert.equal(code, 0);
      const digest = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
      assert.equal(digest(stdout), digest(bytes));
    });

    it('copies files to the container and back', async () => {
      const [sent, held, back] = ['sent', 'held', 'back'].map((file) => join(directory, file));
      assert.ok(sent !== undefined && held !== undefined && back !== undefined);
      const bytes = randomBytes(1_000_000);
      await writeFile(sent, bytes);
      await say('cp', sent, `${pod}:${held}`);
      assert.deepEqual(await readFile(held), bytes);
      await say('cp', `${pod}:${held}`, back);
      assert.deepEqual(await readFile(back), bytes);
      for (const file of [sent, held, back]) await rm(file);
    });

    it('copies into the directory of the Instance, not into what its Revision shares', async () => {
      const artifacts = join(fnlet.dataDirectory, 'artifacts');
      const shared = (): Promise<readonly (readonly [string, string])[]> => readTree(artifacts);
      const before = await shared();
      const handler = before.map(([path]) => basename(path)).find((file) => /^handler/.test(file));
      assert.ok(handler !== undefined);
      const sent = join(directory, 'sent');
      await writeFile(sent, 'changed');
      for (const file of [handler, 'new.txt']) {
        await say('cp', sent, `${pod}:${file}`);
        assert.equal(await say('exec', pod, '--', 'cat', file), 'changed');
      }
      assert.deepEqual(await shared(), before);
      await say('exec', pod, '--', 'rm', 'new.txt');
      await rm(sent);
    });

    it('ends what it started when it is ended', async () => {
      const mark = join(directory, 'pid');
      const child = start([
        'exec',
        '-i',
        pod,
        '--',
        'sh',
        '-c',
        `echo $$ > ${mark}; exec sleep 1000`,
      ]);
      const readPid = async (): Promise<number> =>
        Number(await readFile(mark, 'utf8').catch(() => ''));
      const pid = await until(readPid, { what: 'the command to run' });
      child.kill('SIGKILL');
      await until(() => !existsSync(`/proc/${pid}`), { what: 'the command to end' });
      await rm(mark);
    });

    it('forwards a port, to many clients at a time', async () => {
      const child = start(['port-forward', pod, ':8080']);
      try {
        let said = '';
        child.stdout?.on('data', (chunk: Buffer) => {
          said += chunk.toString();
        });
        const local = await until(() => /127\.0\.0\.1:(\d+) ->/.exec(said)?.[1], {
          what: 'a port',
        });
        const answers = await Promise.all(
          Array.from({ length: 10 }, () =>
            fetch(`http://127.0.0.1:${local}/`).then((answer) => answer.text()),
          ),
        );
        assert.equal(new Set(answers).size, 10);
        assert.ok(answers.every((answer) => /^answer \d+$/.test(answer)));
      } finally {
        child.kill();
      }
    });

    it('shows what comes, and what was: attach and logs', async () => {
      const attached = start(['attach', pod]);
      const followed = start(['logs', '-f', '--tail=0', pod]);
      const said = ['', ''];
      for (const [index, child] of [attached, followed].entries()) {
        child.stdout?.on('data', (chunk: Buffer) => {
          said[index] += chunk.toString();
        });
      }
      try {
        await until(
          async () => {
            await call();
            return said.every((text) => /call \d+/.test(text));
          },
          { what: 'a line in both' },
        );
      } finally {
        for (const child of [attached, followed]) child.kill();
      }
      assert.match(await say('logs', '--tail=1', pod), /^\S+ call \d+\n$/);
      assert.match(
        await say('logs', '--tail=1', '--timestamps', pod),
        /^\d{4}-\S+\.\d{9}Z \S+ call/,
      );
      assert.match(await say('logs', '--since=1h', '-l', 'fnlet.dev/function=f'), /call \d+\n/);
      assert.equal(await say('logs', '--limit-bytes=1', pod), '[');
    });

    it('tells what a Pod uses', async () => {
      const lines = (await say('top', 'pods')).trim().split('\n');
      assert.match(lines[0] ?? '', /^NAME +CPU\(cores\) +MEMORY\(bytes\)/);
      assert.match(lines[1] ?? '', new RegExp(`^${pod} +\\d+m +[1-9]\\d*Mi`));
      const node = JSON.parse(await say('get', '--raw', '/apis/metrics.k8s.io/v1beta1/nodes'));
      assert.match(node.items[0].usage.memory, /^[1-9]\d*Ki$/);
    });

    const script = '/usr/bin/script';
    it('gives a terminal', { skip: !existsSync(script) && `there is no ${script}` }, async () => {
      const words = ['exec', '-it', pod, '--', 'sh', '-c', "'tty; exit 4'"];
      const command = [program, '--cache-dir', `'${join(directory, name)}'`, ...words].join(' ');
      const child = spawn(script, ['-qfec', command, '/dev/null'], {
        env: { PATH: process.env.PATH ?? '', KUBECONFIG: fnlet.endpoints.kubeconfig },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      assert.match(said, /^\/dev\/pts\/\d+\r?$/m);
      assert.equal(code, 4);
    });
  });
}

const clientNode = 'client-node/node_modules/@kubernetes/client-node/dist/index.js';
const entry = join(clients, clientNode);
const withoutNode = !existsSync(entry) && '@kubernetes/client-node is not here: run .ci/clients';

// A program of its own: what this client leaves open must not hold the test.
const nodeProgram = `
import net from 'node:net';
import { PassThrough } from 'node:stream';
import * as k8s from '${pathToFileURL(entry)}';
const config = new k8s.KubeConfig();
config.loadFromDefault();
const [pod] = process.argv.slice(1);
const out = new PassThrough();
const status = await new Promise((resolve, reject) => {
  new k8s.Exec(config)
    .exec('default', pod, 'function', ['sh', '-c', 'cat; exit 5'], out, null, null, false, resolve)
    .catch(reject);
});
console.log(status.details.causes[0].message);
const server = net.createServer((socket) => {
  new k8s.PortForward(config).portForward('default', pod, [8080], socket, null, socket);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const answer = await fetch('http://127.0.0.1:' + server.address().port + '/', {
  headers: { connection: 'close' },
});
console.log(await answer.text());
process.exit(0);
`;

it('@kubernetes/client-node runs a command and forwards a port', {
  skip: withoutNode,
}, async () => {
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    ['--input-type=module', '--eval', nodeProgram, pod],
    { env: { KUBECONFIG: fnlet.endpoints.kubeconfig } },
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^5\nanswer \d+\n$/);
});

it('says that no container for debugging runs beside an Instance', async () => {
  const { code, stderr } = await fnlet.kubectl(['debug', pod, '-i', '--image=node', '--', 'sh']);
  assert.notEqual(code, 0);
  // Before 1.23 kubectl asks for a container in words that no API has any more.
  if (/unknown conversion/.test(stderr)) return;
  assert.match(stderr, /did not run: the Pod of a Function shows an Instance/);
});

it('the log of a run that crashed is there after the restart', async () => {
  await call();
  // A GET would be sent to the next run, too, which then crashes without a word.
  await call('/crash', 'POST').catch(() => '');
  const { stdout } = await until(
    async () => {
      const logs = await fnlet.kubectl(['logs', '--previous', pod]);
      return logs.code === 0 ? logs : undefined;
    },
    { what: 'a previous run' },
  );
  assert.match(stdout, /call \d+\n/);
});
