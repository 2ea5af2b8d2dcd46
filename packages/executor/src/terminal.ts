/**
 * Owns the terminal of one command. Node cannot open one without native code, so `script` of
 * util-linux does, which is on every Linux; what is typed and shown passes through its pipes.
 *
 * I1. The command runs in a session of its own behind the terminal. Its group is on the reaper's
 *     list from when it was found until `close`; before, closing the terminal hangs it up.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { type Clock, sleep } from '@fnlet/base';
import { ExecutorError } from './executor-error.ts';
import { limits } from './limits.ts';
import { readProcessTable } from './process-table.ts';
import type { Reaper } from './reaper.ts';

const scriptProgram = '/usr/bin/script';

/** What is started in place of a command, so that the command has a terminal. */
export interface TerminalPlan {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * @throws ExecutorError `NoTerminal`
 */
export function planTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): TerminalPlan {
  if (process.platform !== 'linux' || !existsSync(scriptProgram)) {
    const message = `Cannot open a terminal: found no ${scriptProgram}, expected that of util-linux on Linux`;
    throw new ExecutorError('NoTerminal', message, {
      remedy: 'Run the command without a terminal (kubectl exec -i instead of -it)',
    });
  }
  // -e: exit as the command does; -f: show at once; -q: say nothing of its own.
  return {
    command: [scriptProgram, '-qfec', `exec ${command.map(quote).join(' ')}`, '/dev/null'],
    // The shell that `script` starts; the command line is written for this one.
    env: { TERM: 'xterm', ...env, SHELL: '/bin/sh' },
  };
}

// Between single quotes a POSIX shell changes nothing; a single quote itself stands outside.
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export class Terminal {
  readonly #reaper: Reaper;
  #size: readonly [columns: number, rows: number] | undefined;
  #group: number | undefined;
  #device: string | undefined;
  #closed = false;

  constructor(reaper: Reaper) {
    this.#reaper = reaper;
  }

  /** Looks for the session that the `script` with this pid began. */
  async find(script: number, clock: Clock, signal: AbortSignal): Promise<void> {
    for (let i = 0; i < limits.terminalLooksMax && this.#group === undefined; i++) {
      if (!(await sleep(clock, limits.terminalLookMs, signal)) || this.#closed) return;
      const child = (await readProcessTable()).find(({ parent }) => parent === script);
      // Until it leads a group of its own it is a copy of `script`.
      if (child === undefined || child.group !== child.pid) continue;
      this.#device = await readlink(`/proc/${child.pid}/fd/0`).catch(() => undefined);
      if (this.#closed) return;
      this.#group = child.pid;
      this.#reaper.add(child.pid);
    }
    this.#applySize();
  }

  /** The kernel tells the programs in front (SIGWINCH). */
  resize(columns: number, rows: number): void {
    this.#size = [columns, rows];
    this.#applySize();
  }

  /** Ends what is left behind the terminal. */
  close(): void {
    this.#closed = true;
    if (this.#group !== undefined) this.#reaper.remove(this.#group);
  }

  #applySize(): void {
    if (this.#size === undefined || this.#device === undefined || this.#closed) return;
    const [columns, rows] = this.#size;
    const size = ['rows', String(rows), 'cols', String(columns)];
    const options = { stdio: 'ignore', env: {} } as const;
    // A terminal that is gone meanwhile has no size.
    spawn('stty', ['-F', this.#device, ...size], options).on('error', () => {});
  }
}
