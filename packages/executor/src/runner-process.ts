/**
 * Owns one Runner process from its start to the end of its whole process group: the control
 * channel on file descriptor 3, its output, its socket file and its place on the reaper's list.
 *
 * I1. `onWarm` is called at most once; `onGone` at most once and only for a Runner without code,
 *     `onLoaded` only for one with code.
 * I2. After `specialise` the listener hears `exited` exactly once, as the last event; every report
 *     that was sent before the end comes first, and so does all output, unless somebody else still
 *     holds its pipe.
 * I3. What has closed its control channel ends: by itself, or killed `exitMs` later.
 * I4. When the leader of the group ends, whatever else is in the group is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { unlink } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Clock, Logger, Timer } from '@fnlet/base';
import type { RunnerCommand, RunnerReport, Specialisation } from '@fnlet/invocation';
import type { InstanceAddress } from './executor.ts';
import { limits } from './limits.ts';
import type { LogStream } from './log-line.ts';
import type { ListenAddress } from './loopback-addresses.ts';
import { throttleOutput } from './output-throttle.ts';
import type { Reaper } from './reaper.ts';
import type { ResourceBounds } from './resource-bounds.ts';
import type { BoundProcess, ResourceGuard } from './resource-guard.ts';
import type { Runner, RunnerEvent, RunnerExit, RunnerListener } from './runner.ts';
import { parseRunnerReport } from './runner-report.ts';
import type { RuntimeCommand } from './runtime-command.ts';

export interface RunnerProcessOptions {
  readonly runtime: RuntimeCommand;
  readonly socketPath: string;
  readonly listen: ListenAddress;
  /** Where the Runner may keep what makes the next start faster. */
  readonly cacheDirectory: string;
  readonly workingDirectory: string;
  readonly reaper: Reaper;
  readonly guard: ResourceGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  /** It listens and waits for code. */
  onWarm(runner: RunnerProcess): void;
  /** The code that it was given is loaded, or never will be. Called once at most. */
  onLoaded(runner: RunnerProcess): void;
  /** It ended without ever having been given code; `reason` says how. */
  onGone(runner: RunnerProcess, reason: string): void;
  /** It has ended, with or without code; comes last. */
  onEnded(runner: RunnerProcess): void;
}

export class RunnerProcess implements Runner {
  readonly #options: RunnerProcessOptions;
  readonly #child: ChildProcess;
  #port = 0;
  #warm = false;
  #isLoaded = false;
  #listener: RunnerListener | undefined;
  #earlyOutput = '';
  #unread = '';
  #exit: RunnerExit | undefined;
  /** The control channel and the output are read to their end. */
  #streamsEnded = false;
  #settled = false;
  #leaving: Timer | undefined;
  #bound: BoundProcess | undefined;

  /** Starts the process. */
  constructor(options: RunnerProcessOptions) {
    this.#options = options;
    const { runtime, socketPath, listen, cacheDirectory, reaper } = options;
    const [program = '', ...fixed] = runtime.command;
    const address = ['--socket', socketPath, '--host', listen.host, '--port', `${listen.port}`];
    this.#child = spawn(program, [...fixed, ...address, '--cache', cacheDirectory], {
      // A group of its own, so that what user code starts can be killed with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: runtime.env ?? {},
      cwd: options.workingDirectory,
    });
    if (this.#child.pid !== undefined) reaper.add(this.#child.pid);
    this.#watch();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it got as far as listening. */
  get warm(): boolean {
    return this.#warm;
  }

  get address(): InstanceAddress {
    const { socketPath, listen } = this.#options;
    return { socketPath, host: listen.host, port: this.#port };
  }

  rehearse(): void {
    this.#send({ type: 'rehearse' });
  }

  specialise(
    specialisation: Specialisation,
    listener: RunnerListener,
    bounds: ResourceBounds,
  ): void {
    this.#listener = listener;
    if (this.pid !== undefined) this.#bound = this.#options.guard.bind(this.pid, bounds);
    this.#send({ type: 'specialise', specialisation });
  }

  drain(): void {
    this.#send({ type: 'drain' });
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid !== undefined && this.#exit === undefined) {
      this.#options.reaper.signal(this.#child.pid, signal);
    }
  }

  #send(command: RunnerCommand): void {
    const control = this.#child.stdio[3];
    if (control !== null && control !== undefined && 'write' in control && control.writable) {
      control.write(`${JSON.stringify(command)}\n`);
    }
  }

  #watch(): void {
    const child = this.#child;
    child.once('error', (error) => {
      if (child.pid === undefined) this.#settle({ code: null, signal: null }, error.message);
    });
    child.once('exit', (code, signal) => this.#onExit({ code, signal }));
    child.once('close', () => {
      this.#streamsEnded = true;
      this.#settleAfterExit();
      this.#listener?.onOutputEnd();
    });
    for (const stream of ['stdout', 'stderr'] as const) {
      const output = child[stream];
      if (output === null) continue;
      output.on('data', (chunk: Uint8Array) => this.#onOutput(stream, chunk));
      output.on('error', () => {});
      throttleOutput(output, this.#options.clock);
    }
    const control = child.stdio[3];
    if (control === null || control === undefined || !('setEncoding' in control)) return;
    this.#watchControl(control);
  }

  #watchControl(control: Readable): void {
    control.setEncoding('utf8');
    control.on('data', (text: string) => this.#onControl(text));
    control.on('error', () => {});
    // It leaves, or is of no more use. Node has been seen to hang for good as it exits.
    control.once('close', () => {
      if (this.#exit !== undefined) return;
      this.#leaving = this.#options.clock.after(limits.exitMs, () => this.signal('SIGKILL'));
    });
  }

  #onControl(text: string): void {
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) {
      const report = parseRunnerReport(line);
      if (report !== undefined) this.#onReport(report);
    }
    if (this.#unread.length > limits.controlLineBytesMax) {
      this.#unread = '';
      this.#options.logger.warn('A Runner floods its control channel and is killed', {
        pid: this.pid,
      });
      this.signal('SIGKILL');
    }
  }

  // User code can write to the channel too: a report out of turn is not an event.
  #onReport(report: RunnerReport): void {
    if (this.#settled) return;
    if (report.type === 'warm') {
      if (this.#warm) return;
      this.#warm = true;
      this.#port = report.port;
      this.#options.onWarm(this);
    } else {
      this.#listener?.onEvent(toEvent(report));
      if (report.type !== 'loading') this.#endLoading();
    }
  }

  #endLoading(): void {
    if (this.#isLoaded || this.#listener === undefined) return;
    this.#isLoaded = true;
    this.#options.onLoaded(this);
  }

  #onOutput(stream: LogStream, chunk: Uint8Array): void {
    if (this.#listener !== undefined) {
      this.#listener.onOutput(stream, chunk);
      return;
    }
    const text = this.#earlyOutput + Buffer.from(chunk).toString();
    this.#earlyOutput = text.slice(-limits.warmOutputBytesMax);
  }

  #onExit(exit: RunnerExit): void {
    const outOfMemory = this.#bound?.wasOutOfMemory() === true;
    this.#exit = outOfMemory ? { ...exit, outOfMemory } : exit;
    const { clock, reaper, socketPath } = this.#options;
    this.#leaving?.cancel();
    if (this.#child.pid !== undefined) reaper.remove(this.#child.pid);
    this.#bound?.release();
    unlink(socketPath, () => {});
    this.#settleAfterExit();
    // A descendant in another group may hold the pipes for good.
    clock.after(limits.outputAfterExitMs, () => {
      for (const stream of this.#child.stdio) stream?.destroy();
      this.#streamsEnded = true;
      this.#settleAfterExit();
    });
  }

  #settleAfterExit(): void {
    if (this.#exit !== undefined && this.#streamsEnded) this.#settle(this.#exit);
  }

  #settle(exit: RunnerExit, reason?: string): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#listener !== undefined) this.#listener.onEvent({ kind: 'exited', ...exit });
    else this.#options.onGone(this, reason ?? this.#describe(exit));
    this.#endLoading();
    this.#options.onEnded(this);
  }

  #describe({ code, signal }: RunnerExit): string {
    const end = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
    const said = this.#earlyOutput.trim();
    return said === '' ? end : `${end} and said: ${said}`;
  }
}

function toEvent(report: Exclude<RunnerReport, { readonly type: 'warm' }>): RunnerEvent {
  switch (report.type) {
    case 'expecting':
    case 'ready':
      return { kind: report.type };
    case 'loading':
      return { kind: 'loading', file: report.file };
    case 'failed':
      return { kind: 'failed', failure: report.failure };
  }
}
