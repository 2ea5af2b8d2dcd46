/**
 * Owns the warm pools of Runner processes, one per runtime, and what they share: socket paths,
 * loopback addresses and the bound on starts at the same time.
 */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger, Random } from '@fnlet/base';
import { limits } from './limits.ts';
import { createLoopbackAddresses, type LoopbackAddresses } from './loopback-addresses.ts';
import type { Reaper } from './reaper.ts';
import type { Runner, RunnerSupply } from './runner.ts';
import { RunnerProcess } from './runner-process.ts';
import type { RuntimeCommand } from './runtime-command.ts';
import { createSocketDirectory, type SocketDirectory } from './socket-directory.ts';
import { StartSlots } from './start-slots.ts';
import { type WarmingListener, WarmPool } from './warm-pool.ts';

export interface ProcessSupplyOptions {
  readonly runtimes: ReadonlyMap<string, RuntimeCommand>;
  /** The data directory; it has one owner at a time. */
  readonly directory: string;
  /** The most Runners that wait warm, per runtime. Default 8. */
  readonly warmMax?: number;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export function createProcessSupply(options: ProcessSupplyOptions): RunnerSupply {
  const { runtimes, directory, clock, logger } = options;
  const warmMax = options.warmMax ?? limits.warmRunnersMax;
  const sockets = createSocketDirectory(directory);
  const addresses = createLoopbackAddresses(process.platform, options.random);
  const living = new LivingProcesses();
  const pools = new Map<string, WarmPool>();
  // Two at least: while one Runner loads, another may start.
  const slots = new StartSlots(Math.max(2, availableParallelism()), () => {
    for (const pool of pools.values()) pool.startForWaiting();
  });
  for (const runtime of runtimes.values()) {
    const start = createStarter({ ...options, runtime, sockets, addresses, living });
    const min = Math.min(runtime.warmMin ?? 1, warmMax);
    const bounds = { min, max: warmMax };
    pools.set(
      runtime.name,
      new WarmPool({ runtime: runtime.name, bounds, clock, logger, slots, start }),
    );
  }
  return {
    take({ runtime, rank }, deliver) {
      const pool = pools.get(runtime);
      if (pool !== undefined) return pool.take(rank, deliver);
      const known = [...pools.keys()].join(', ');
      const message = `Cannot run runtime "${runtime}": it is not here, expected one of ${known}`;
      deliver({ code: 'LoadError', message });
      return () => {};
    },
    async close() {
      for (const pool of pools.values()) pool.close();
      await living.ended();
      sockets.remove();
    },
  };
}

interface StarterOptions extends ProcessSupplyOptions {
  readonly runtime: RuntimeCommand;
  readonly sockets: SocketDirectory;
  readonly addresses: LoopbackAddresses;
  readonly living: LivingProcesses;
}

function createStarter(options: StarterOptions): (listener: WarmingListener) => Runner {
  const { runtime, directory, sockets, addresses, living, reaper, clock, logger } = options;
  const cacheDirectory = join(directory, 'cache', runtime.name);
  mkdirSync(cacheDirectory, { recursive: true });
  return (listener) => {
    const runner = new RunnerProcess({
      runtime,
      socketPath: sockets.nextPath(),
      listen: addresses.next(),
      cacheDirectory,
      workingDirectory: directory,
      reaper,
      clock,
      logger,
      onWarm: (warm) => listener.onWarm(warm),
      onGone(gone, reason) {
        // The likeliest reason that helps nobody: the address is in use. The next one avoids it.
        if (!gone.warm) addresses.useFreePorts();
        listener.onGone(gone, reason);
      },
      onEnded: (ended) => living.delete(ended),
    });
    living.add(runner);
    return runner;
  };
}

/** The processes that have not ended yet, so that closing can wait for them. */
class LivingProcesses {
  readonly #processes = new Set<RunnerProcess>();
  #onEnded: (() => void) | undefined;

  add(process: RunnerProcess): void {
    this.#processes.add(process);
  }

  delete(process: RunnerProcess): void {
    this.#processes.delete(process);
    if (this.#processes.size === 0) this.#onEnded?.();
  }

  /** Resolves when none is left. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnded = resolve;
      if (this.#processes.size === 0) resolve();
    });
  }
}
