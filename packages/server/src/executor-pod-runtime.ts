import { Readable } from 'node:stream';
import type { AttachOptions, ContainerProcess, PodRuntime, UsageReading } from '@fnlet/apiserver';
import { type Clock, hasCode } from '@fnlet/base';
import {
  type InstancesUsage,
  instanceContainer,
  noDebugging,
  type ProcessExecutor,
} from '@fnlet/executor';
import { type KubeObject, objectKey, statusError } from '@fnlet/machinery';
import { toStatusError } from './access-error.ts';
import { connectFunctionService, type GatewayAddress } from './gateway-address.ts';
import { logsNotFound, toReadOptions } from './log-request.ts';

type InstanceAccess = Pick<ProcessExecutor, 'readLogs' | 'exec' | 'connect' | 'readUsage'>;

/** Gives the API what clients want of the Pods that mirror the executor's Instances. */
export function createExecutorPodRuntime(
  executor: InstanceAccess,
  {
    clock,
    nodeName,
    gateway,
  }: {
    readonly clock: Clock;
    readonly nodeName: string;
    /** Where the Gateway is, once it listens. */
    readonly gateway: () => GatewayAddress | undefined;
  },
): PodRuntime {
  return {
    async *logs(pod, options) {
      refuseOther(pod, options.container);
      try {
        yield* executor.readLogs(objectKey(pod), toReadOptions(options, clock.now()));
      } catch (error) {
        if (!hasCode(error, 'LogsNotFound')) throw error;
        throw logsNotFound(pod, options);
      }
    },
    async exec(pod, { container, command, stdin, tty, signal }) {
      refuseOther(pod, container);
      try {
        const options = { command, stdin, tty, signal };
        const { resize, ...process } = await executor.exec(objectKey(pod), options);
        return { ...process, resize: ({ columns, rows }) => resize(columns, rows) };
      } catch (error) {
        throw toStatusError(error, container);
      }
    },
    async attach(pod, options) {
      refuseOther(pod, options.container);
      return followOutput(executor, pod, options);
    },
    async portForward(pod, port, signal) {
      try {
        return await executor.connect(objectKey(pod), port, signal);
      } catch (error) {
        throw toStatusError(error, 'function');
      }
    },
    connectService: (service, signal) =>
      connectFunctionService(service, { gateway: gateway(), signal }),
    readUsage: async () => toUsageReading(await executor.readUsage(), nodeName),
  };
}

/** Refuses containers that somebody has put into the Pod: they did not run. */
function refuseOther({ metadata: { name } }: KubeObject, container: string): void {
  if (container === instanceContainer) return;
  const text = `container "${container}" in pod "${name}" did not run: ${noDebugging}`;
  throw statusError('BadRequest', text);
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

function toUsageReading(
  { instances, machine, ...times }: InstancesUsage,
  nodeName: string,
): UsageReading {
  return {
    ...times,
    node: { name: nodeName, ...machine },
    pods: instances.map(({ key, usage }) => ({
      ...key,
      containers: [{ name: instanceContainer, ...usage }],
    })),
  };
}
