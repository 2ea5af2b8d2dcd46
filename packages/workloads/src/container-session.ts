/**
 * Owns one run of a container: its process, its probes and hooks, and its end.
 *
 * I1. `onExit` is called once; no probe tells anything after it, nor after `stop`.
 * I2. The grace period counts from the first `stop` and holds for hook and process together; a
 *     later `stop` can only shorten it.
 */
import { type Clock, sleep, type Timer } from '@fnlet/base';
import type {
  ContainerCommand,
  ContainerExit,
  ContainerProcess,
  ContainerRuntime,
  ProbeOutcome,
} from '@fnlet/executor';
import type { ObjectKey } from '@fnlet/machinery';
import { askContainer } from './ask-container.ts';
import type { Container, LifecycleHook, Probe, ProbeKind } from './container.ts';
import { limits } from './limits.ts';
import { runProbe } from './probe-loop.ts';
import type { ProbeState } from './probe-state.ts';

export interface ContainerSessionOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly container: Container;
  readonly command: ContainerCommand;
  readonly run: number;
  /** Namespace and name of the Pod. */
  readonly key: ObjectKey;
  /** Where probes find it. */
  readonly host: string;
  /** It can be taken for started: its hook is done. */
  onStarted(): void;
  onProbe(kind: ProbeKind, state: ProbeState, outcome: ProbeOutcome): void;
  onHookFailed(hook: 'PostStart' | 'PreStop', message: string): void;
  onExit(exit: ContainerExit): void;
}

export class ContainerSession {
  readonly startedAtMs: number;
  readonly #options: ContainerSessionOptions;
  readonly #process: ContainerProcess;
  readonly #probing = new AbortController();
  readonly #ended = new AbortController();
  #killTimer: Timer | undefined;
  #killAtMs = Number.POSITIVE_INFINITY;
  #isStopping = false;

  constructor(options: ContainerSessionOptions) {
    const { runtime, clock, command, run, key, container } = options;
    const { stdin = false, stdinOnce = false, tty = false } = container;
    this.#options = options;
    this.startedAtMs = clock.now();
    this.#process = runtime.start({
      ...{ ...command, run, key, streams: { stdin, stdinOnce, tty } },
      onExit: (exit) => this.#onExit(exit),
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Runs its hook, then its probes. To be called once, when its start is noted. */
  async begin(): Promise<void> {
    const { container } = this.#options;
    const hook = container.lifecycle?.postStart;
    if (hook !== undefined) {
      const { ok, message } = await this.#runHook(hook, limits.postStartMs);
      if (this.#ended.signal.aborted || this.#isStopping) return;
      if (!ok) {
        this.#options.onHookFailed('PostStart', message);
        return;
      }
    }
    this.#options.onStarted();
    const { startupProbe, livenessProbe, readinessProbe } = container;
    if (startupProbe !== undefined) await this.#probe('startup', startupProbe);
    if (this.#probing.signal.aborted) return;
    if (livenessProbe !== undefined) void this.#probe('liveness', livenessProbe);
    if (readinessProbe !== undefined) void this.#probe('readiness', readinessProbe);
  }

  /** Ends it: the hook first, then SIGTERM, then SIGKILL when `graceMs` are over. */
  stop(graceMs: number): void {
    const { clock } = this.#options;
    const killAtMs = clock.monotonicMs() + graceMs;
    if (killAtMs < this.#killAtMs) {
      this.#killAtMs = killAtMs;
      this.#killTimer?.cancel();
      this.#killTimer = clock.after(graceMs, () => this.#process.signal('SIGKILL'));
    }
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#probing.abort();
    void this.#terminate(graceMs);
  }

  #probe(kind: ProbeKind, probe: Probe): Promise<void> {
    const { signal } = this.#probing;
    return runProbe({
      ...{ kind, probe, signal, clock: this.#options.clock },
      ask: () => this.#ask(probe, (probe.timeoutSeconds ?? 1) * 1000, signal),
      onResult: (state, outcome) => this.#options.onProbe(kind, state, outcome),
    });
  }

  async #terminate(graceMs: number): Promise<void> {
    const hook = this.#options.container.lifecycle?.preStop;
    if (hook !== undefined && graceMs > 0) {
      const { ok, message } = await this.#runHook(hook, graceMs);
      if (!ok) this.#options.onHookFailed('PreStop', message);
    }
    this.#process.signal('SIGTERM');
  }

  async #runHook(hook: LifecycleHook, timeoutMs: number): Promise<ProbeOutcome> {
    const { signal } = this.#ended;
    if (hook.sleep !== undefined) {
      const sleepMs = Math.min(hook.sleep.seconds * 1000, timeoutMs);
      await sleep(this.#options.clock, sleepMs, signal);
      return { ok: true, message: '' };
    }
    return this.#ask(hook, timeoutMs, signal);
  }

  #ask(
    action: Probe | LifecycleHook,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ProbeOutcome> {
    const { runtime, container, command, host } = this.#options;
    return askContainer(action, {
      ...{ runtime, container, host, timeoutMs, signal },
      place: command,
    });
  }

  #onExit(exit: ContainerExit): void {
    this.#probing.abort();
    this.#ended.abort();
    this.#killTimer?.cancel();
    this.#options.onExit(exit);
  }
}
