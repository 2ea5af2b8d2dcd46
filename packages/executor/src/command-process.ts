/**
 * Owns one command that a person runs beside an Instance, from its start to the end of everything
 * that it started.
 *
 * I1. It leads a process group that is on the reaper's list; what is left of the group is killed
 *     when the command ends or `signal` aborts. With a terminal there is a second group, which is
 *     on the list from the first sign of life.
 * I2. `exitCode` always resolves. Output that was written before the end is there to be read after
 *     it, as slowly as the reader likes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { type Clock, hasCode } from '@fnlet/base';
import { limits } from './limits.ts';
import type { Reaper } from './reaper.ts';
import { planTerminal, Terminal } from './terminal.ts';

export interface CommandOptions {
  /** Program and arguments. The program is looked for in the PATH of `env`. */
  readonly command: readonly string[];
  readonly directory: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it reads input; otherwise it reads an end at once. */
  readonly stdin: boolean;
  /** Whether it has a terminal; its output then all comes through `stdout`. */
  readonly tty: boolean;
  /** Ends it with all that it started. */
  readonly signal: AbortSignal;
  readonly reaper: Reaper;
  readonly clock: Clock;
}

/** A command that runs. */
export interface CommandProcess {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  /** 128 + n after signal n; 127 and 126 when there is no such program, or it cannot be run. */
  readonly exitCode: Promise<number>;
  /** Tells its terminal about another size. */
  resize(columns: number, rows: number): void;
}

/**
 * Starts a command.
 *
 * @throws ExecutorError `NoTerminal` when one is asked for and this machine cannot give one.
 */
export async function startCommand(options: CommandOptions): Promise<CommandProcess> {
  const { command, directory, env, stdin, tty, signal, reaper, clock } = options;
  signal.throwIfAborted();
  const plan = tty ? planTerminal(command, env) : { command, env };
  const [program = '', ...args] = plan.command;
  const child = spawn(program, args, {
    // A group of its own, so that what it starts can be killed with it.
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: plan.env,
    cwd: directory,
  });
  if (child.pid === undefined) {
    const [error]: unknown[] = await once(child, 'error');
    return refuse(command[0] ?? '', error);
  }
  const group = child.pid;
  reaper.add(group);
  const terminal = tty ? new Terminal(reaper) : undefined;
  const kill = (): void => {
    terminal?.close();
    reaper.remove(group);
  };
  signal.addEventListener('abort', kill, { once: true });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  const exitCode = once(child, 'exit').then(([code, ended]: unknown[]) => {
    signal.removeEventListener('abort', kill);
    kill();
    for (const output of [child.stdout, child.stderr]) endWhenSilent(output, clock);
    return toExitCode(code, ended);
  });
  if (terminal !== undefined) {
    // Without a reading of /proc there are no sizes; everything else works.
    terminal.find(group, clock, signal).catch(() => {});
  }
  return toProcess(child, exitCode, terminal);
}

function toProcess(
  child: ChildProcess,
  exitCode: Promise<number>,
  terminal: Terminal | undefined,
): CommandProcess {
  return {
    stdin: child.stdin ?? undefined,
    stdout: keepOutput(child.stdout),
    stderr: terminal === undefined ? keepOutput(child.stderr) : undefined,
    exitCode,
    resize: (columns, rows) => terminal?.resize(columns, rows),
  };
}

// Node lets output flow when a process ends, whether anybody reads or not: so it is taken here, and
// waits here for its reader.
function keepOutput(output: Readable | null): Readable {
  if (output === null) return Readable.from([]);
  const kept = new PassThrough();
  output.once('close', () => kept.end());
  output.on('error', () => {});
  return output.pipe(kept);
}

function toExitCode(code: unknown, signal: unknown): number {
  if (typeof code === 'number') return code;
  return 128 + (Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0);
}

/** The words of runc, and the exit codes of a shell. */
function refuse(program: string, error: unknown): CommandProcess {
  const isMissing = hasCode(error, 'ENOENT');
  const why = isMissing ? 'executable file not found in $PATH' : 'permission denied';
  const text =
    'OCI runtime exec failed: exec failed: unable to start container process: ' +
    `exec: ${JSON.stringify(program)}: ${why}: unknown\r\n`;
  return {
    stdin: undefined,
    stdout: Readable.from([]),
    stderr: Readable.from([Buffer.from(text)]),
    exitCode: Promise.resolve(isMissing ? 127 : 126),
    resize: () => {},
  };
}

/**
 * Ends an output that a descendant outside of the group holds open: once everything was
 * taken and nothing came for a while.
 */
function endWhenSilent(output: Readable | null, clock: Clock): void {
  if (!(output instanceof Socket)) return;
  let seenBytes = output.bytesRead;
  const look = (): void => {
    if (output.readableEnded || output.destroyed) return;
    const isSilent = output.bytesRead === seenBytes && output.readableLength === 0;
    seenBytes = output.bytesRead;
    if (isSilent) output.destroy();
    else clock.after(limits.outputAfterExitMs, look);
  };
  clock.after(limits.outputAfterExitMs, look);
}
