import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectKey } from '@fnlet/machinery';
import type { Executor } from './executor.ts';
import { InstanceLogs } from './instance-logs.ts';
import { InstanceLoop } from './instance-loop.ts';
import type { ReadLogsOptions } from './log-reader.ts';
import { createProcessSupply, type ProcessSupplyOptions } from './process-supply.ts';

export type ProcessExecutorOptions = ProcessSupplyOptions;

/** An Executor whose Instances are processes of this machine, with their output on its disk. */
export interface ProcessExecutor extends Executor {
  /**
   * The log of an Instance, which may have stopped not long ago.
   *
   * @param key Namespace and name of the Instance.
   * @throws ExecutorError `LogsNotFound` when there is no such log (any more).
   */
  readLogs(key: ObjectKey, options?: ReadLogsOptions): AsyncIterable<Uint8Array>;
}

/**
 * Runs Instances as child processes, taken from warm pools.
 *
 * @example
 * const executor = createProcessExecutor({ runtimes, directory, reaper, clock, random, logger });
 * executor.subscribe(({ kind, instance }) => logger.info(`${instance.id} is ${kind}`));
 * executor.ensure(revision, 1);
 */
export function createProcessExecutor(options: ProcessExecutorOptions): ProcessExecutor {
  const { directory, clock, random, logger } = options;
  mkdirSync(directory, { recursive: true });
  const logs = new InstanceLogs({ directory: join(directory, 'logs'), clock, logger });
  const supply = createProcessSupply(options);
  const loop = new InstanceLoop({ supply, output: logs, clock, random, logger });
  return {
    ensure: (revision, count) => loop.ensure(revision, count),
    instances: (revisionId) => loop.instances(revisionId),
    evict: (instanceId, graceMs) => loop.evict(instanceId, graceMs),
    subscribe: (listener) => loop.subscribe(listener),
    close: (graceMs) => loop.close(graceMs),
    [Symbol.asyncDispose]: () => loop.close(),
    readLogs: (key, readOptions = {}) => logs.read(key, readOptions),
  };
}
