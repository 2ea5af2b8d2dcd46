import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Clock } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';
import { limits } from './limits.ts';
import { npmFailure } from './npm-failure.ts';
import { NpmOutput } from './npm-output.ts';
import type { Reaper } from './reaper.ts';

export interface NpmRun {
  /** Program, then its arguments up to those of this run. */
  readonly command: readonly string[];
  readonly arguments: readonly string[];
  /** Has the package.json; npm writes nowhere else but into its cache. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/**
 * Runs npm once, in a process group of its own that dies with this process, with the signal, and
 * with the time.
 *
 * @throws ArtifactError
 */
export async function runNpm(run: NpmRun): Promise<void> {
  const { reaper, clock, signal } = run;
  signal.throwIfAborted();
  const [program = '', ...fixed] = run.command;
  const child = spawn(program, [...fixed, ...run.arguments], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: run.directory,
    env: run.environment,
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
  const output = new NpmOutput();
  const onLine = (line: string): void => {
    const text = line.slice(0, limits.npmLineBytesMax);
    output.add(text);
    run.onProgress(text);
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (late) throw tooSlow(output.lines);
    if (code !== 0) throw npmFailure(output.lines);
  } finally {
    timeout.cancel();
    signal.removeEventListener('abort', kill);
    kill();
  }
}

function tooSlow(lines: readonly string[]): ArtifactError {
  const found = `npm did not end within ${limits.installMs / 1000} s`;
  return new ArtifactError(
    'InstallFailed',
    `Cannot install dependencies: ${found}, expected fewer dependencies\n${lines.join('\n')}`,
    { retry: 'later', remedy: 'Check the network and the size of the dependencies.' },
  );
}
