import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { until } from './until.ts';

const root = join(import.meta.dirname, '..');
const program = join(root, 'packages', 'cli', 'bin', 'fnlet.js');

// The program is run as its first line says, on the Node that runs the tests.
const path = [dirname(process.execPath), process.env.PATH].join(delimiter);

/** What a started Fnlet writes to `endpoints.json`. */
export interface Endpoints {
  readonly api: string;
  readonly gateway: string;
  readonly gatewayTls?: string;
  readonly dashboard: string;
  readonly kubeconfig: string;
  readonly pid: number;
}

/** The outcome of a program that ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real `fnlet up` on free ports, in its own data directory. */
export interface FnletProcess {
  readonly endpoints: Endpoints;
  readonly dataDirectory: string;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends a signal and waits for the end; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Runs `fnlet <args>` against it. */
  cli(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs the kubectl under test against it. */
  kubectl(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Stops it and removes its data directory. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A data directory with a short path, removed by the caller. */
export function makeDataDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'fnlet-up-'));
}

export interface StartOptions extends RunOptions {
  readonly dataDirectory?: string;
  readonly args?: readonly string[];
  /** What runs the program, whose command comes after it. Default nothing. */
  readonly launcher?: readonly string[];
}

export async function startFnlet(options: StartOptions = {}): Promise<FnletProcess> {
  const dataDirectory = options.dataDirectory ?? (await makeDataDirectory());
  const endpointsFile = join(dataDirectory, 'endpoints.json');
  await rm(endpointsFile, { force: true });
  const ports = ['--api-port', '0', '--http-port', '0', '--dashboard-port', '0'];
  const up = [program, 'up', '--data-dir', dataDirectory, ...ports, ...(options.args ?? [])];
  const [command = program, ...args] = [...(options.launcher ?? []), ...up];
  const child = spawn(command, args, {
    env: { ...process.env, PATH: path, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  try {
    await until(() => existsSync(endpointsFile) || child.exitCode !== null, {
      what: 'fnlet up to write endpoints.json',
      timeoutMs: 60_000,
    });
  } catch (error) {
    // Its pipes would keep the process of the test alive for ever.
    await endProcess(child, 'SIGKILL');
    throw error;
  }
  if (child.exitCode !== null) throw new Error(`fnlet up ended early:\n${printed.join('')}`);
  const endpoints: Endpoints = JSON.parse(await readFile(endpointsFile, 'utf8'));
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> =>
    endProcess(child, signal);
  const env = { ...process.env, KUBECONFIG: endpoints.kubeconfig };
  const cacheDirectory = join(dataDirectory, 'kubectl-cache');
  return {
    endpoints,
    dataDirectory,
    output: () => printed.join(''),
    stop,
    cli: (args, run = {}) =>
      runProgram(process.execPath, [program, ...args], { ...run, env: { ...env, ...run.env } }),
    kubectl: (args, run = {}) =>
      runProgram(kubectlProgram(), ['--cache-dir', cacheDirectory, ...args], {
        ...run,
        env: { ...env, ...run.env },
      }),
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** The kubectl under test: `$KUBECTL`, or the one on the path. */
export function kubectlProgram(): string {
  return process.env.KUBECTL || 'kubectl';
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  const code = await ended;
  clearTimeout(late);
  // Who asked for a code other than that of a kill sees that it did not end by itself.
  return code;
}

/** What has not ended by then never will, also on a busy machine: the test fails, and says so. */
const stopMsMax = 60_000;
/** Some install packages, or walk through a whole document. */
const runMsMax = 300_000;

/** Runs a program to its end and collects what it printed; one that does not end is killed. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const late = setTimeout(() => {
      stderr += `\nkilled: ${command} ${args.join(' ')} did not end within ${runMsMax} ms\n`;
      child.kill('SIGKILL');
    }, runMsMax);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(late);
      resolve({ code, stdout, stderr });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}
