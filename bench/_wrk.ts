import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What one run of wrk measured. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Processor time that wrk itself took for each request. */
  readonly senderCpuUs: number;
}

/** How wrk loads a server. */
export interface LoadOptions {
  readonly url: string;
  /** Lua that says what is sent; default: GET. */
  readonly script?: string | undefined;
  readonly connections: number;
  readonly seconds: number;
}

/** Loads a server with wrk; throws when an answer was no success. */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, script, connections, seconds } = options;
  // `times` tells what the shell and its children took.
  const { stdout } = await run('sh', [
    ...['-c', 'wrk "$@"; times', 'wrk'],
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...['-s', join(import.meta.dirname, 'peers', 'tail.lua')],
    '--latency',
    url,
    ...(script === undefined ? [] : ['--', script]),
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Load on ${url} failed:\n${stdout}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    senderCpuUs: (childrenMs(stdout) / requests) * 1_000,
    p50Ms: percentile(stdout, '50%'),
    p99Ms: percentile(stdout, '99%'),
    p999Ms: Number(/^tail ([\d.]+)$/m.exec(stdout)?.[1]),
  };
}

function percentile(output: string, which: string): number {
  const [, value = '', unit = ''] = new RegExp(`${which}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}

/** The last line of `times`: user and system time of the children. */
function childrenMs(output: string): number {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const times = [...last.matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, m, s]) => sum + Number(m) * 60_000 + Number(s) * 1_000, 0);
}
