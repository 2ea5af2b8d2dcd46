import { Readable } from 'node:stream';
import type {
  AttachOptions,
  ContainerProcess,
  LogOptions,
  PodRuntime,
  UsageReading,
} from '@fnlet/apiserver';
import { type Clock, errorMessage, hasCode } from '@fnlet/base';
import type { InstancesUsage, ProcessExecutor, ReadLogsOptions } from '@fnlet/executor';
import { type KubeObject, objectKey, statusError } from '@fnlet/machinery';

type InstanceAccess = Pick<ProcessExecutor, 'readLogs' | 'exec' | 'connect' | 'readUsage'>;

/** Gives the API what clients want of the Pods that mirror the executor's Instances. */
export function createExecutorPodRuntime(
  executor: InstanceAccess,
  { clock, nodeName }: { readonly clock: Clock; readonly nodeName: string },
): PodRuntime {
  return {
    async *logs(pod, options) {
      try {
        yield* executor.readLogs(objectKey(pod), toReadOptions(options, clock.now()));
      } catch (error) {
        if (!hasCode(error, 'LogsNotFound')) throw error;
        throw noLogs(pod, options);
      }
    },
    async exec(pod, { container, command, stdin, tty, signal }) {
      try {
        const options = { command, stdin, tty, signal };
        const { resize, ...process } = await executor.exec(objectKey(pod), options);
        return { ...process, resize: ({ columns, rows }) => resize(columns, rows) };
      } catch (error) {
        throw toStatusError(error, container);
      }
    },
    attach: async (pod, options) => followOutput(executor, pod, options),
    async portForward(pod, port, signal) {
      try {
        return await executor.connect(objectKey(pod), port, signal);
      } catch (error) {
        throw toStatusError(error, 'function');
      }
    },
    readUsage: async () => toUsageReading(await executor.readUsage(), nodeName),
  };
}

/**
 * What an Instance says from now on, until it ends. It reads no input, and its output is there
 * line by line, as the log has it.
 */
function followOutput(
  executor: InstanceAccess,
  pod: KubeObject,
  { signal }: AttachOptions,
): ContainerProcess {
  const options = { follow: true, tailLines: 0, signal };
  const stdout = Readable.from(executor.readLogs(objectKey(pod), options), { objectMode: false });
  const ended = new Promise<number>((resolve) => stdout.once('close', () => resolve(0)));
  return { stdout, exitCode: ended, resize: () => {} };
}

// The words of a kubelet, which kubectl prints as they are.
function toStatusError(error: unknown, container: string): unknown {
  if (hasCode(error, 'InstanceNotFound')) {
    return statusError('NotFound', `container not found ("${container}")`);
  }
  if (hasCode(error, 'NoTerminal')) return statusError('BadRequest', errorMessage(error));
  if (hasCode(error, 'PortUnreachable')) {
    return statusError('ServiceUnavailable', errorMessage(error));
  }
  return error;
}

function toUsageReading(
  { instances, machine, ...times }: InstancesUsage,
  nodeName: string,
): UsageReading {
  return {
    ...times,
    node: { name: nodeName, ...machine },
    pods: instances.map(({ key, usage }) => ({
      ...key,
      containers: [{ name: 'function', ...usage }],
    })),
  };
}

function toReadOptions(options: LogOptions, nowMs: number): ReadLogsOptions {
  const { follow, previous, timestamps, tailLines, limitBytes, signal } = options;
  const sinceMs = startOf(options, nowMs);
  return {
    ...{ follow, previous, timestamps, signal },
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
}

function startOf({ sinceSeconds, sinceTime }: LogOptions, nowMs: number): number | undefined {
  if (sinceSeconds !== undefined) return nowMs - sinceSeconds * 1000;
  return sinceTime === undefined ? undefined : Date.parse(sinceTime);
}

// The words of a kubelet, which kubectl prints as they are.
function noLogs({ metadata: { name } }: KubeObject, { container, previous }: LogOptions): Error {
  const which = previous ? 'previous terminated container' : 'container';
  const text = `${which} "${container}" in pod "${name}" not found`;
  return statusError(previous ? 'BadRequest' : 'NotFound', text);
}
