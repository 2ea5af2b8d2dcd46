import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { formatKubeconfig } from '@fnlet/client';
import { openMemoryStore } from '@fnlet/store';
import { adminUser, createApiServer, listenHttps, loadCertificates } from '../src/index.ts';

/** The kubectl under test: `$KUBECTL`, or the one on the path. */
export const kubectlProgram: string = process.env.KUBECTL ?? 'kubectl';

/** What a program printed, and how it ended. */
export interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A real kubectl as the administrator of a server that listens. */
export interface KubectlSession extends AsyncDisposable {
  /** Runs it with words split at spaces. */
  kubectl(args: string, stdin?: string): Promise<Finished>;
  /** Runs it, and fails unless it ends well and prints what matches. */
  expect(args: string, pattern: RegExp, stdin?: string): Promise<Finished>;
  /** Runs it, and fails unless it fails and prints what matches. */
  expectFailure(args: string, pattern: RegExp, stdin?: string): Promise<Finished>;
}

export async function openKubectlSession(): Promise<KubectlSession> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-kubectl-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const clock = systemClock;
  const tls = await loadCertificates({ directory, clock });
  const store = stack.use(openMemoryStore());
  const token = systemRandom.uuid();
  const tokens = [{ token, user: adminUser }];
  const { caPem } = tls;
  const parts = { store, clock, random: systemRandom, logger: silentLogger, tokens, caPem };
  const server = stack.use(createApiServer(parts));
  await server.start();
  const front = stack.use(await listenHttps(server, { host: '127.0.0.1', port: 0, tls, clock }));
  const kubeconfig = join(directory, 'kubeconfig');
  const text = formatKubeconfig({ name: 'test', server: front.url, caPem, token });
  await writeFile(kubeconfig, text, { mode: 0o600 });
  const base = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(directory, 'cache')}`];
  const kubectl = (args: string, stdin?: string): Promise<Finished> =>
    runProgram([...base, ...args.split(' ')], stdin);
  const expectCode = async (
    args: string,
    wanted: { readonly isGood: boolean; readonly pattern: RegExp; readonly stdin: string },
  ): Promise<Finished> => {
    const result = await kubectl(args, wanted.stdin);
    assert.match(result.out + result.err, wanted.pattern, `kubectl ${args}`);
    assert.equal(result.code === 0, wanted.isGood, `kubectl ${args}: ${result.err}`);
    return result;
  };
  const opened = stack.move();
  return {
    kubectl,
    expect: (args, pattern, stdin = '') => expectCode(args, { isGood: true, pattern, stdin }),
    expectFailure: (args, pattern, stdin = '') =>
      expectCode(args, { isGood: false, pattern, stdin }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function runProgram(args: readonly string[], stdin = ''): Promise<Finished> {
  return new Promise((resolve) => {
    const options = { timeout: 30_000 };
    const child = execFile(kubectlProgram, [...args], options, (error, out, err) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 127;
      resolve({ code, out, err });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
  });
}

/** Whether there is a kubectl to test with; else why not. */
export async function skipWithoutKubectl(): Promise<string | false> {
  const { code } = await runProgram(['version', '--client']);
  return code === 0 ? false : `${kubectlProgram} is not installed`;
}
