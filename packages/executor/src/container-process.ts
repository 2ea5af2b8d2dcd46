/**
 * Owns one process of a container, from its start to the end of its whole process group.
 *
 * I1. `onExit` is called once, after all output that came in time was handed on.
 * I2. When the leader of the group ends, whatever else is in the group is killed. Behind a terminal
 *     there is a second group, which goes with the first.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type Clock, errorMessage } from '@fnlet/base';
import {
  type AttachedContainer,
  type AttachOptions,
  ContainerAttachments,
} from './container-attachments.ts';
import type { ContainerExit, ContainerProcess, ContainerStreams } from './container-runtime.ts';
import { limits } from './limits.ts';
import type { RunOutput } from './output-keeper.ts';
import { throttleOutput } from './output-throttle.ts';
import type { Reaper } from './reaper.ts';
import { planTerminal, Terminal } from './terminal.ts';

export interface ContainerProcessOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Default: no input, no terminal. */
  readonly streams?: ContainerStreams | undefined;
  readonly output: RunOutput;
  readonly reaper: Reaper;
  readonly clock: Clock;
  onExit(exit: ContainerExit): void;
}

/** A process that people can be connected to. */
export interface AttachableProcess extends ContainerProcess {
  attach(options: AttachOptions): AttachedContainer;
}

/** Starts it. What keeps it from starting, such as a missing terminal, is told by `onExit`. */
export function startContainerProcess(options: ContainerProcessOptions): AttachableProcess {
  if (options.streams?.tty !== true) return startProcess(options, undefined);
  try {
    const plan = planTerminal(options.command, options.env);
    return startProcess({ ...options, ...plan }, new Terminal(options.reaper));
  } catch (error) {
    const exit = { exitCode: 128, signal: 0, startError: errorMessage(error) };
    queueMicrotask(() => options.onExit(exit));
    const nothing = { input: undefined, stdinOnce: false, resize: () => {} };
    const attachments = new ContainerAttachments(nothing);
    return { pid: undefined, signal: () => {}, attach: (attach) => attachments.attach(attach) };
  }
}

function startProcess(
  options: ContainerProcessOptions,
  terminal: Terminal | undefined,
): AttachableProcess {
  const { command, env, workingDirectory, output, reaper, clock } = options;
  const { stdin = false, stdinOnce = false } = options.streams ?? {};
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    // A group of its own, so that whatever it starts can be ended with it.
    detached: true,
    // A terminal whose input ended would be hung up.
    stdio: [stdin || terminal !== undefined ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env,
    cwd: workingDirectory,
  });
  const { pid } = child;
  if (pid !== undefined) reaper.add(pid);
  const ending = new AbortController();
  // Without a reading of /proc there are no sizes; everything else works.
  if (pid !== undefined) terminal?.find(pid, clock, ending.signal).catch(() => {});
  const attachments = new ContainerAttachments({
    input: stdin ? (child.stdin ?? undefined) : undefined,
    stdinOnce,
    resize: (columns, rows) => terminal?.resize(columns, rows),
  });
  let exit: ContainerExit | undefined;
  let isSettled = false;
  const settle = (): void => {
    if (exit === undefined || isSettled) return;
    isSettled = true;
    output.end();
    attachments.end();
    options.onExit(exit);
  };
  for (const stream of ['stdout', 'stderr'] as const) {
    const from = child[stream];
    if (from === null) continue;
    from.on('data', (chunk: Uint8Array) => {
      output.write(stream, chunk);
      attachments.write(stream, chunk);
    });
    from.on('error', () => {});
    throttleOutput(from, clock);
  }
  child.once('error', (error) => {
    if (pid !== undefined) return;
    exit = { exitCode: 128, signal: 0, startError: error.message };
    settle();
  });
  child.once('exit', (code, signal) => {
    ending.abort();
    terminal?.close();
    if (pid !== undefined) reaper.remove(pid);
    exit ??= describeExit(code, signal);
    // A descendant in another group may hold the pipes for good.
    clock.after(limits.outputAfterExitMs, () => {
      destroyOutput(child);
      settle();
    });
  });
  child.once('close', settle);
  return {
    pid,
    signal(signal) {
      if (pid !== undefined && exit === undefined) reaper.signal(pid, signal);
    },
    attach: (attach) => attachments.attach(attach),
  };
}

function destroyOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): ContainerExit {
  if (code !== null || signal === null) return { exitCode: code ?? 0, signal: 0 };
  const number = constants.signals[signal];
  return { exitCode: 128 + number, signal: number };
}
