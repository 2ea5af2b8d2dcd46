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
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...['-s', join(import.meta.dirname, 'peers', 'tail.lua')],
    '--latency',
    url,
    ...(script === undefined ? [] : ['--', script]),
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Load on ${url} failed:\n${stdout}`);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: percentile(stdout, '50%'),
    p99Ms: percentile(stdout, '99%'),
    p999Ms: Number(/^tail ([\d.]+)$/m.exec(stdout)?.[1]),
  };
}

function percentile(output: string, which: string): number {
  const [, value = '', unit = ''] = new RegExp(`${which}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}
