import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Clock } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';
import { limits } from './limits.ts';
import type { Environment } from './npm-command.ts';
import type { Reaper } from './reaper.ts';
import { withRegistryWay } from './registry-way.ts';
import type { FindService } from './source/service-route.ts';

/** Where, in its directory, a package manager keeps what goes away when it has ended well. */
export const temporaryName = 'temporary';

/** What package managers are run with. */
export interface InstallerSetting {
  /** Variables of this process; package managers are given few of them. */
  readonly environment: Environment;
  /** Knows the hosts that are Services. Default: none is. */
  readonly findService?: FindService | undefined;
  readonly reaper: Reaper;
  readonly clock: Clock;
  /** Where package managers run. Default: on this machine. */
  readonly place?: InstallerPlace | undefined;
}

/**
 * Another machine that package managers run on. What they are started with names no path of this
 * one: they run in their directory, and `../cache` is theirs, too.
 */
export interface InstallerPlace {
  /**
   * Runs one with the files of its directory, and brings back what has become of them.
   *
   * @throws ArtifactError
   */
  run(run: InstallerRun): Promise<void>;
}

/** Where a package manager that runs elsewhere keeps what it fetches, from its directory. */
export const placeCache = '../cache';

/** What is kept of the output of a package manager, to tell why it failed. */
export interface InstallerOutput {
  readonly lines: readonly string[];
  /** Whether it said that something is missing; then its end is no success, whatever its code. */
  readonly isIncomplete: boolean;
  add(line: string): void;
}

export interface InstallerRun extends InstallerSetting {
  /** Of the package manager, for messages. */
  readonly name: string;
  /** Whose packages they are: a runtime, such as `python3.12`. */
  readonly runtime: string;
  /** Program, then its arguments. */
  readonly command: readonly string[];
  /** It writes nowhere else but into its cache. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads that may say where packages come from. */
  readonly texts: readonly (string | undefined)[];
  readonly output: InstallerOutput;
  readonly signal: AbortSignal;
  /** Takes out of its output what nobody may read. */
  redact(text: string): string;
  onProgress(line: string): void;
  /** What it means that it ended with an error after these lines. */
  explain(lines: readonly string[]): ArtifactError;
}

/**
 * Runs a package manager once, in a process group of its own that dies with this process, with the
 * signal, and with the time.
 *
 * @throws ArtifactError
 */
export function runInstaller(run: InstallerRun): Promise<void> {
  if (run.place !== undefined) return run.place.run(run);
  return withRegistryWay(run, (environment) => runProgram({ ...run, environment }));
}

async function runProgram(run: InstallerRun): Promise<void> {
  const { reaper, clock, signal, output } = run;
  signal.throwIfAborted();
  // Who is killed cannot clean up: so what is temporary goes with the directory.
  const temporary = join(run.directory, temporaryName);
  await mkdir(temporary);
  const [program = '', ...args] = run.command;
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: run.directory,
    env: { ...run.environment, TMPDIR: temporary },
  });
  const { pid } = child;
  if (pid !== undefined) reaper.add(pid);
  const kill = (): void => {
    if (pid !== undefined) reaper.remove(pid);
  };
  let late = false;
  const timeout = clock.after(limits.installMs, () => {
    late = true;
    kill();
  });
  signal.addEventListener('abort', kill, { once: true });
  const onLine = (line: string): void => {
    // Cut last: half a credential would not be recognised.
    const text = run.redact(line).slice(0, limits.installerLineBytesMax);
    output.add(text);
    run.onProgress(text);
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  try {
    const end = await new Promise<ProcessEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve({ code, killedBy }));
    });
    signal.throwIfAborted();
    if (late) throw tooSlow(run.name, output.lines);
    if (end.killedBy !== null) throw wasKilled(run.name, end.killedBy, output.lines);
    if (end.code !== 0 || output.isIncomplete) throw run.explain(output.lines);
    await rm(temporary, { recursive: true, force: true });
  } finally {
    timeout.cancel();
    signal.removeEventListener('abort', kill);
    kill();
  }
}

interface ProcessEnd {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

function wasKilled(name: string, by: NodeJS.Signals, lines: readonly string[]): ArtifactError {
  return new ArtifactError(
    'InstallFailed',
    `Cannot install dependencies: ${name} was killed by ${by}, expected it to end by itself\n` +
      lines.join('\n'),
    { retry: 'later', remedy: 'Check whether this machine is short of memory.' },
  );
}

function tooSlow(name: string, lines: readonly string[]): ArtifactError {
  const found = `${name} did not end within ${limits.installMs / 1000} s`;
  return new ArtifactError(
    'InstallFailed',
    `Cannot install dependencies: ${found}, expected fewer dependencies\n${lines.join('\n')}`,
    { retry: 'later', remedy: 'Check the network and the size of the dependencies.' },
  );
}
