import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import type { Instance } from '../src/executor.ts';
import {
  createProcessExecutor,
  type ProcessExecutor,
  type ProcessExecutorOptions,
} from '../src/process-executor.ts';
import { createReaper, type Reaper } from '../src/reaper.ts';
import type { RuntimeCommand } from '../src/runtime-command.ts';
import type { ExecutorHarness } from './executor-contract.ts';

export const runnerProgram: string = join(import.meta.dirname, 'runner-program.mjs');

/** The runtime that tests use, with extra fixed arguments if any. */
export function testRuntime(...args: string[]): RuntimeCommand {
  return { name: 'nodejs24', command: [process.execPath, runnerProgram, ...args] };
}

export interface ProcessHarness extends ExecutorHarness {
  readonly executor: ProcessExecutor;
  readonly directory: string;
  readonly reaper: Reaper;
}

/** A real executor on a data directory of its own; both are gone afterwards. */
export function createProcessHarness(
  changes: Partial<ProcessExecutorOptions> = {},
): ProcessHarness {
  const directory = mkdtempSync(join(tmpdir(), 'executor-test-'));
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const executor = createProcessExecutor({
    nodeName: 'machine',
    runtimes: new Map([['nodejs24', testRuntime()]]),
    firstRuntime: 'nodejs24',
    directory,
    warmMax: 2,
    reaper,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    ...changes,
  });
  return {
    executor,
    directory,
    reaper,
    crash: ({ pid }) => process.kill(pid ?? 0, 'SIGKILL'),
    until: waitUntil,
    async [Symbol.asyncDispose]() {
      await executor.close(100);
      await reaper.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Waits for a condition outside of this process; fails after ten seconds. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 2_000 && !condition(); i++) await new Promise((done) => setTimeout(done, 5));
  assert.ok(condition(), 'the condition holds in the end');
}

/** Whether a process runs; one that has ended and was not collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    // The state follows the name of the program, which stands in parentheses.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Calls an Instance of the test Runner over its socket or its address. */
export function callInstance(instance: Instance, over: 'socket' | 'port'): Promise<string> {
  const { address } = instance;
  assert.ok(address !== undefined);
  const target =
    over === 'socket'
      ? { socketPath: address.socketPath }
      : { host: address.host, port: address.port };
  return new Promise((resolve, reject) => {
    const call = request({ ...target, path: '/' }, (response) => {
      response.setEncoding('utf8');
      let body = '';
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve(body));
    });
    call.on('error', reject);
    call.end();
  });
}
