import { type Clock, type Logger, type Random, silentLogger } from '@fnlet/base';
import type { LoadFailure, Specialisation } from '@fnlet/invocation';
import type { Executor, InstanceAddress, Obstacle } from './executor.ts';
import { InstanceLoop, type UntilUncalled } from './instance-loop.ts';
import { discardOutput } from './output-keeper.ts';
import type { OnObstacle, Runner, RunnerListener, RunnerSupply } from './runner.ts';

/** How an Instance in memory takes its code. */
export interface MemoryLoad {
  /** How long loading takes. Default 0: it is ready when time moves on at all. */
  readonly afterMs?: number;
  /** Why it does not load. Default: it loads. */
  readonly failure?: LoadFailure;
  /** How long it drains after it was told to. Default 0. */
  readonly drainMs?: number;
  /** Where it answers. Default: an address of its own where nobody listens. */
  readonly address?: InstanceAddress;
}

export interface MemoryExecutorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Runtimes that are known. Default: every one. */
  readonly runtimes?: readonly string[];
  /** See {@link ProcessExecutorOptions}. */
  readonly untilUncalled?: UntilUncalled;
  /** Decides how each start goes. Default: all load at once. */
  load?(specialisation: Specialisation): MemoryLoad;
}

/** An Executor without processes; time moves only with its clock. */
export interface MemoryExecutor extends Executor {
  /** Ends the process of an Instance as a crash would. */
  crash(instanceId: string, exit?: { code: number | null; signal: string | null }): void;
  /** From now on no Instance starts, because of this; `undefined`: those that wait do. */
  obstruct(obstacle: Obstacle | undefined): void;
}

/**
 * The in-memory twin of the process executor for tests and the simulator: the same loop and the
 * same life of an Instance, only without an outside.
 */
export function createMemoryExecutor(options: MemoryExecutorOptions): MemoryExecutor {
  const { clock, random, logger = silentLogger, runtimes } = options;
  const load = options.load ?? (() => ({}));
  const runners = new Map<string, MemoryRunner>();
  const waiting = new Map<() => void, OnObstacle>();
  let obstacle: Obstacle | undefined;
  let count = 0;
  const supply: RunnerSupply = {
    take({ runtime }, deliver, onObstacle) {
      if (runtimes !== undefined && !runtimes.includes(runtime)) {
        const message = `Cannot run runtime "${runtime}": it is not here`;
        deliver({ code: 'LoadError', message });
        return () => {};
      }
      const start = () => deliver(new MemoryRunner({ number: ++count, clock, load, runners }));
      if (obstacle === undefined) start();
      else {
        waiting.set(start, onObstacle);
        onObstacle(obstacle);
      }
      return () => waiting.delete(start);
    },
    close: () => Promise.resolve(),
  };
  const loop = new InstanceLoop({
    node: { name: 'machine', capacity: { cpu: '2', memory: '1Gi' } },
    ...(options.untilUncalled === undefined ? {} : { untilUncalled: options.untilUncalled }),
    ...{ supply, output: discardOutput, clock, random, logger },
  });
  return {
    ensure: (revision, wanted, wish) => loop.ensure(revision, wanted, wish),
    instances: (revisionId) => loop.instances(revisionId),
    evict: (instanceId, graceMs) => loop.evict(instanceId, graceMs),
    subscribe: (listener) => loop.subscribe(listener),
    close: (graceMs) => loop.close(graceMs),
    [Symbol.asyncDispose]: () => loop.close(),
    crash: (instanceId, exit = { code: 1, signal: null }) => runners.get(instanceId)?.end(exit),
    obstruct(found) {
      obstacle = found;
      for (const [start, onObstacle] of [...waiting]) {
        if (found !== undefined) onObstacle(found);
        else {
          waiting.delete(start);
          start();
        }
      }
    },
  };
}

interface MemoryRunnerOptions {
  readonly number: number;
  readonly clock: Clock;
  readonly load: (specialisation: Specialisation) => MemoryLoad;
  /** Runners with code, by Instance. */
  readonly runners: Map<string, MemoryRunner>;
}

class MemoryRunner implements Runner {
  readonly pid: undefined;
  readonly #options: MemoryRunnerOptions;
  #address: InstanceAddress;
  #listener: RunnerListener | undefined;
  #instance = '';
  #drainMs = 0;
  #ended = false;

  constructor(options: MemoryRunnerOptions) {
    this.#options = options;
    const { number } = options;
    const host = `127.64.${(number >> 8) & 0xff}.${number & 0xff}`;
    this.#address = { socketPath: `/memory/${number}.sock`, host, port: 8080 };
  }

  get address(): InstanceAddress {
    return this.#address;
  }

  rehearse(): void {}

  specialise(specialisation: Specialisation, listener: RunnerListener): void {
    const { clock, load, runners } = this.#options;
    this.#listener = listener;
    this.#instance = specialisation.instance;
    runners.set(specialisation.instance, this);
    const { afterMs = 0, failure, drainMs = 0, address } = load(specialisation);
    this.#drainMs = drainMs;
    this.#address = address ?? this.#address;
    clock.after(afterMs, () => {
      if (this.#ended) return;
      listener.onEvent(failure === undefined ? { kind: 'ready' } : { kind: 'failed', failure });
    });
  }

  drain(): void {
    this.#options.clock.after(this.#drainMs, () => this.end({ code: 0, signal: null }));
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#options.clock.after(0, () => this.end({ code: null, signal }));
  }

  end(exit: { code: number | null; signal: string | null }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.runners.delete(this.#instance);
    this.#listener?.onEvent({ kind: 'exited', ...exit });
    this.#listener?.onOutputEnd();
  }
}
