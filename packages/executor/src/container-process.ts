/**
 * Owns one process of a container, from its start to the end of its whole process group.
 *
 * I1. `onExit` is called once, after all output that came in time was handed on.
 * I2. When the leader of the group ends, whatever else is in the group is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from '@fnlet/base';
import type { ContainerExit, ContainerProcess } from './container-runtime.ts';
import { limits } from './limits.ts';
import type { RunOutput } from './output-keeper.ts';
import { throttleOutput } from './output-throttle.ts';
import type { Reaper } from './reaper.ts';

export interface ContainerProcessOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly output: RunOutput;
  readonly reaper: Reaper;
  readonly clock: Clock;
  onExit(exit: ContainerExit): void;
}

/** Starts it. */
export function startContainerProcess(options: ContainerProcessOptions): ContainerProcess {
  const { command, env, workingDirectory, output, reaper, clock } = options;
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    // A group of its own, so that whatever it starts can be ended with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    cwd: workingDirectory,
  });
  const { pid } = child;
  if (pid !== undefined) reaper.add(pid);
  let exit: ContainerExit | undefined;
  let isSettled = false;
  const settle = (): void => {
    if (exit === undefined || isSettled) return;
    isSettled = true;
    output.end();
    options.onExit(exit);
  };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Uint8Array) => output.write(stream, chunk));
    child[stream].on('error', () => {});
    throttleOutput(child[stream], clock);
  }
  child.once('error', (error) => {
    if (pid !== undefined) return;
    exit = { exitCode: 128, signal: 0, startError: error.message };
    settle();
  });
  child.once('exit', (code, signal) => {
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
