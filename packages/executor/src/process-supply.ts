/**
 * Owns the warm pools of Runner processes, one per runtime that was ever asked for, and what they
 * share: socket paths, loopback addresses and the bound on starts at the same time.
 *
 * I1. A runtime that nobody has asked for, or that nobody uses any more, has no process.
 * I2. At most `warmRuntimesMax` runtimes keep warm Runners, those that were asked for last, besides
 *     the first, which always does.
 */
import { mkdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  errorMessage,
  type Logger,
  type MetricFamily,
  type Random,
  sha256,
} from '@fnlet/base';
import type { LoadFailure } from '@fnlet/invocation';
import { type CgroupHierarchy, findCgroupHierarchy } from './cgroup.ts';
import { limits } from './limits.ts';
import { createLoopbackAddresses, type LoopbackAddresses } from './loopback-addresses.ts';
import { type InstanceMount, MountView } from './mount-view.ts';
import { maxPoolSize, type PoolBounds } from './pool-size.ts';
import type { Reaper } from './reaper.ts';
import { ResourceGuard } from './resource-guard.ts';
import type { Runner, RunnerOrder, RunnerSupply } from './runner.ts';
import { RunnerProcess } from './runner-process.ts';
import type { RuntimeCommand, RuntimeCommands } from './runtime-command.ts';
import { createSocketDirectory, type SocketDirectory } from './socket-directory.ts';
import { StartSlots } from './start-slots.ts';
import { type WarmingListener, WarmPool } from './warm-pool.ts';
import { warmPoolMetrics } from './warm-pool-metrics.ts';

export interface ProcessSupplyOptions {
  readonly runtimes: RuntimeCommands;
  /** The runtime whose Runners are warm from start to end, used or not. Default: none. */
  readonly firstRuntime?: string;
  /** The data directory; it has one owner at a time. */
  readonly directory: string;
  /** The most Runners that wait warm, per runtime. Default 8. */
  readonly warmMax?: number;
  readonly reaper: Reaper;
  /** Where control groups can be made. Default: where this machine has them. */
  readonly findHierarchy?: () => CgroupHierarchy | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Runners that are processes of this machine. */
export interface ProcessSupply extends RunnerSupply {
  /** Nobody uses this runtime any more, or its command has changed: its warm Runners go. */
  cool(runtime: string): void;
  readonly views: MountView;
  /** What there is to know of the warm pools. */
  metrics(): readonly MetricFamily[];
}

/** The start of the house goes before Runners that nobody has asked for. */
const firstDelayMs = limits.calmRefillDelayMs;

export function createProcessSupply(options: ProcessSupplyOptions): ProcessSupply {
  const { runtimes, directory } = options;
  const warmMax = options.warmMax ?? maxPoolSize(totalmem());
  const sockets = createSocketDirectory(directory);
  const addresses = createLoopbackAddresses(process.platform, options.random);
  const living = new LivingProcesses();
  const pools = new Map<string, WarmPool>();
  /** Of one order each: nobody else could use a Runner that sees the mounts of one Revision. */
  const orders = new Set<WarmPool>();
  // Two at least: while one Runner loads, another may start.
  const slots = new StartSlots(Math.max(2, availableParallelism()), () => {
    for (const pool of [...pools.values(), ...orders]) pool.startForWaiting();
  });
  const loadsMax = limits.loadsPerProcessor * availableParallelism();
  const views = new MountView(join(directory, 'view'), [directory, sockets.path]);
  const guard = createGuard(options);
  const shared = { ...options, sockets, addresses, living, guard };
  const create = (runtime: string, startOf: () => RuntimeCommand, bounds: PoolBounds): WarmPool => {
    const start = createStarter({ ...shared, runtime, startOf });
    return new WarmPool({ ...options, runtime, bounds, slots, loadsMax, start, firstDelayMs });
  };
  const open = (command: RuntimeCommand): WarmPool => {
    const runtime = command.name;
    // What it is started with may change while the pool lives.
    const startOf = (): RuntimeCommand => runtimes.get(runtime) ?? command;
    const min = Math.min(command.warmMin ?? 1, warmMax);
    return create(runtime, startOf, { min, max: warmMax });
  };
  const mayCool = (runtime: string): boolean => runtime !== options.firstRuntime;
  const cool = (runtime: string): void => void (mayCool(runtime) && pools.get(runtime)?.cool());
  const poolOf = (runtime: string): WarmPool | undefined => {
    const command = runtimes.get(runtime);
    const pool = pools.get(runtime) ?? (command && open(command));
    if (pool === undefined) return undefined;
    // The order of the map is the order in which they were asked for.
    pools.delete(runtime);
    pools.set(runtime, pool);
    const others = [...pools.keys()].filter(mayCool);
    for (const older of others.slice(0, -limits.warmRuntimesMax)) cool(older);
    return pool;
  };
  if (options.firstRuntime !== undefined) poolOf(options.firstRuntime);
  const takeMounted = createMountedOrders({
    orders,
    commandOf: ({ command }, mounts) =>
      views.command(mounts, { command, workingDirectory: directory }),
    poolOf: (command) => create(command.name, () => command, { min: 0, max: 0 }),
  });
  return {
    views,
    take(order, deliver) {
      const { runtime, mounts = [] } = order;
      const command = runtimes.get(runtime);
      if (mounts.length > 0 && command !== undefined) return takeMounted(command, order, deliver);
      const pool = poolOf(runtime);
      if (pool !== undefined) return pool.take(order, deliver);
      const message = `Cannot run runtime "${runtime}": it is not here, expected one that is`;
      deliver({ code: 'LoadError', message });
      return () => {};
    },
    cool,
    metrics: () => warmPoolMetrics(pools),
    async close() {
      for (const pool of [...pools.values(), ...orders]) pool.close();
      await living.ended();
      guard.close();
      sockets.remove();
    },
  };
}

type TakeMounted = (
  runtime: RuntimeCommand,
  order: RunnerOrder,
  deliver: (result: Runner | LoadFailure) => void,
) => () => void;

/** Runners that see mounts: each is started for the order that needs it. */
function createMountedOrders(options: {
  readonly orders: Set<WarmPool>;
  commandOf(runtime: RuntimeCommand, mounts: readonly InstanceMount[]): readonly string[];
  poolOf(runtime: RuntimeCommand): WarmPool;
}): TakeMounted {
  const { orders, commandOf, poolOf } = options;
  return (runtime, order, deliver) => {
    let command: readonly string[];
    try {
      command = commandOf(runtime, order.mounts ?? []);
    } catch (error) {
      deliver({ code: 'LoadError', message: errorMessage(error) });
      return () => {};
    }
    const pool = poolOf({ ...runtime, command });
    const end = (): void => {
      orders.delete(pool);
      pool.close();
    };
    orders.add(pool);
    pool.take(order, (result) => {
      end();
      deliver(result);
    });
    return end;
  };
}

interface StarterOptions extends ProcessSupplyOptions {
  readonly runtime: string;
  readonly startOf: () => RuntimeCommand;
  readonly sockets: SocketDirectory;
  readonly addresses: LoopbackAddresses;
  readonly living: LivingProcesses;
  readonly guard: ResourceGuard;
}

function createStarter(options: StarterOptions): (listener: WarmingListener) => Runner {
  const { runtime, startOf, directory, sockets, addresses, living } = options;
  const { reaper, guard, clock, logger } = options;
  const cacheDirectory = join(directory, 'cache', runtime);
  mkdirSync(cacheDirectory, { recursive: true });
  return (listener) => {
    const runner = new RunnerProcess({
      runtime: startOf(),
      socketPath: sockets.nextPath(),
      listen: addresses.next(),
      cacheDirectory,
      workingDirectory: directory,
      ...{ reaper, guard, clock, logger },
      onWarm: (warm) => listener.onWarm(warm),
      onLoaded: (loaded) => listener.onLoaded(loaded),
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

function createGuard({ findHierarchy, directory, ...rest }: ProcessSupplyOptions): ResourceGuard {
  // The data directory has one owner at a time.
  const name = `fnlet-${sha256(directory).slice(0, 12)}`;
  return new ResourceGuard({
    ...rest,
    findHierarchy: findHierarchy ?? (() => findCgroupHierarchy(name)),
  });
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
