import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Clock } from '@fnlet/base';
import { ArtifactError } from '../artifact-error.ts';
import { limits } from '../limits.ts';
import type { Reaper } from '../reaper.ts';
import { gitFailure, gitUnreachable } from './git-failure.ts';

export interface GitRun {
  /** Of the repository, for messages. */
  readonly url: string;
  readonly arguments: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

// What a repository, or a server, could otherwise make git do besides fetching.
const always = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  // Loose objects would pile up: nobody keeps house.
  'fetch.unpackLimit=1',
  'maintenance.auto=false',
  'credential.helper=',
  'protocol.version=2',
  'http.followRedirects=initial',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs git once, in a process group of its own that dies with this process, with the signal, and
 * with the time.
 *
 * @returns what `read` made of its output
 * @throws ArtifactError
 */
export async function runGit<T>(run: GitRun, read: (output: Readable) => Promise<T>): Promise<T> {
  const { url, reaper, clock, signal, timeoutMs } = run;
  signal.throwIfAborted();
  const child = spawn('git', [...always, ...run.arguments], {
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
  let isLate = false;
  const timeout = clock.after(timeoutMs, () => {
    isLate = true;
    kill();
  });
  signal.addEventListener('abort', kill, { once: true });
  const lines = keepLines(child.stderr, run.onProgress);
  try {
    const reading = read(child.stdout);
    // Nobody reads on: what git still has to say is of no use.
    reading.catch(kill);
    const [output, ended] = await Promise.allSettled([reading, untilEnded(child)]);
    signal.throwIfAborted();
    if (isLate) throw gitUnreachable(url, `no end within ${timeoutMs / 1000} s`, lines);
    if (ended.status === 'rejected') throw noGit(ended.reason);
    // Nobody read on, and that is why git could not go on.
    if (output.status === 'rejected' && lines.some(isUnread)) throw output.reason;
    // What git could not do comes first: half an answer of it cannot be read either.
    if (ended.value !== null && ended.value !== 0) throw gitFailure(url, lines);
    if (output.status === 'rejected') throw output.reason;
    if (ended.value === null) throw gitUnreachable(url, 'git killed', lines);
    return output.value;
  } finally {
    timeout.cancel();
    signal.removeEventListener('abort', kill);
    kill();
  }
}

function isUnread(line: string): boolean {
  return /write error: (Broken pipe|Connection reset)/.test(line);
}

function untilEnded(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** The last lines of what git says; it overwrites its progress with carriage returns. */
function keepLines(input: Readable, onProgress: (line: string) => void): readonly string[] {
  const lines: string[] = [];
  createInterface({ input, crlfDelay: 0 }).on('line', (line) => {
    const text = line.slice(0, limits.gitLineCharactersMax).trim();
    if (text === '') return;
    onProgress(text);
    if (/^\S+ objects: +\d+%|^Resolving deltas: +\d+%/.test(text)) return;
    lines.push(text);
    if (lines.length > limits.gitLinesMax) lines.shift();
  });
  return lines;
}

function noGit(cause: unknown): ArtifactError {
  const message = 'Cannot read a repository: git was not found, expected it on the path';
  return new ArtifactError('SourceUnreachable', message, {
    cause,
    retry: 'later',
    remedy: 'Install git.',
  });
}
