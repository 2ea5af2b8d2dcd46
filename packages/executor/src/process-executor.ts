import { mkdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { MetricFamily } from '@fnlet/base';
import type { ServiceAddress } from '@fnlet/invocation';
import type { ObjectKey } from '@fnlet/machinery';
import { CommandDirectories } from './command-directories.ts';
import type { CommandProcess } from './command-process.ts';
import type { Executor, Instance } from './executor.ts';
import { type ExecOptions, InstanceAccess } from './instance-access.ts';
import type { InstanceNode } from './instance-environment.ts';
import { InstanceLogs } from './instance-logs.ts';
import { InstanceLoop, type UntilUncalled } from './instance-loop.ts';
import type { ReadLogsOptions } from './log-reader.ts';
import { createProcessSupply, type ProcessSupplyOptions } from './process-supply.ts';
import { type Usage, UsageMeter } from './usage-meter.ts';

export interface ProcessExecutorOptions extends ProcessSupplyOptions {
  /** What whoever sends calls says of an Instance that drains. Default: it has none left. */
  readonly untilUncalled?: UntilUncalled;
  /** The name of this machine, as Pods have it. */
  readonly nodeName: string;
  /** Where names of Services lead inside functions, once it is known. Default: nowhere. */
  readonly services?: () => ServiceAddress | undefined;
}

/** An Executor whose Instances are processes of this machine, with their output on its disk. */
export interface ProcessExecutor extends Executor {
  /**
   * The log of an Instance, which may have stopped not long ago.
   *
   * @param key Namespace and name of the Instance.
   * @throws ExecutorError `LogsNotFound` when there is no such log (any more).
   */
  readLogs(key: ObjectKey, options?: ReadLogsOptions): AsyncIterable<Uint8Array>;
  /**
   * Starts a command beside an Instance: in a copy of its sources that all commands beside it
   * share, with its declared environment. It ends with that process of the Instance at the latest,
   * and so does the copy. Commands that fill it have their Instance evicted.
   *
   * @throws ExecutorError `InstanceNotFound`, `NoTerminal`, `NoDirectory`
   */
  exec(key: ObjectKey, options: ExecOptions): Promise<CommandProcess>;
  /**
   * A connection to a port of an Instance, half-open. 8080, which its Pod declares, leads to its
   * HTTP server wherever that listens.
   *
   * @throws ExecutorError `InstanceNotFound`, `PortUnreachable`
   */
  connect(key: ObjectKey, port: number, signal: AbortSignal): Promise<Duplex>;
  /**
   * Nobody uses this runtime any more, or it is started in another way from now on: the Runners
   * that wait warm for it end. Instances that run go on.
   */
  coolRuntime(name: string): void;
  /** What the processes of all Instances use; only on Linux, whose /proc tells. */
  readUsage(): Promise<InstancesUsage>;
  /** What there is to know of the warm pools. */
  metrics(): readonly MetricFamily[];
}

/** A reading of what Instances, and the machine as a whole, use. */
export interface InstancesUsage {
  readonly atMs: number;
  readonly windowMs: number;
  readonly machine: Usage;
  readonly instances: readonly { readonly key: ObjectKey; readonly usage: Usage }[];
}

/**
 * Runs Instances as child processes, taken from warm pools.
 *
 * @example
 * const executor = createProcessExecutor({ runtimes, directory, reaper, clock, … });
 * executor.subscribe(({ kind, instance }) => logger.info(`${instance.id} is ${kind}`));
 * executor.ensure(revision, 1);
 */
export function createProcessExecutor(options: ProcessExecutorOptions): ProcessExecutor {
  const { directory, clock, random, logger } = options;
  mkdirSync(directory, { recursive: true });
  const logs = new InstanceLogs({ directory: join(directory, 'logs'), clock, logger });
  const supply = createProcessSupply(options);
  const node = describeNode(options.nodeName);
  const loop = new InstanceLoop({
    ...(options.untilUncalled === undefined ? {} : { untilUncalled: options.untilUncalled }),
    ...(options.services === undefined ? {} : { services: options.services }),
    ...{ supply, output: logs, node, clock, random, logger },
  });
  const { runtimes, reaper } = options;
  const directories = new CommandDirectories({
    ...{ directory: join(directory, 'exec'), executor: loop, clock, logger },
  });
  const access = new InstanceAccess({
    ...{ executor: loop, directories, runtimes, reaper, node, clock, logger },
    views: supply.views,
  });
  const close = async (graceMs?: number): Promise<void> => {
    await loop.close(graceMs);
    await directories.close();
  };
  const meter = new UsageMeter(clock);
  return {
    ensure: (revision, count, wish) => loop.ensure(revision, count, wish),
    instances: (revisionId) => loop.instances(revisionId),
    evict: (instanceId, graceMs) => loop.evict(instanceId, graceMs),
    subscribe: (listener) => loop.subscribe(listener),
    close,
    [Symbol.asyncDispose]: () => close(),
    readLogs: (key, readOptions = {}) => logs.read(key, readOptions),
    exec: (key, execOptions) => access.exec(key, execOptions),
    connect: (key, port, signal) => access.connect(key, port, signal),
    coolRuntime: (name) => supply.cool(name),
    readUsage: () => readUsage(loop.instances(), meter),
    metrics: () => supply.metrics(),
  };
}

function describeNode(name: string): InstanceNode {
  return { name, capacity: { cpu: `${availableParallelism()}`, memory: `${totalmem()}` } };
}

async function readUsage(
  instances: readonly Instance[],
  meter: UsageMeter,
): Promise<InstancesUsage> {
  // The Runner leads its group, so its pid names everything that it started.
  const pids = new Set(instances.flatMap(({ pid }) => (pid === undefined ? [] : [pid])));
  const { groups, ...reading } = await meter.read(pids);
  return {
    ...reading,
    instances: instances.flatMap(({ id, revision, pid }) => {
      const usage = pid === undefined ? undefined : groups.get(pid);
      if (usage === undefined) return [];
      return [{ key: { namespace: revision.namespace, name: id }, usage }];
    }),
  };
}
