import type { LogOptions, PodRuntime } from '@fnlet/apiserver';
import { type Clock, hasCode } from '@fnlet/base';
import type { ProcessExecutor, ReadLogsOptions } from '@fnlet/executor';
import { type KubeObject, objectKey, statusError } from '@fnlet/machinery';

type LogReader = Pick<ProcessExecutor, 'readLogs'>;

/** Gives the API the logs of the Pods that mirror the executor's Instances. */
export function createExecutorPodRuntime(executor: LogReader, clock: Clock): PodRuntime {
  return {
    async *logs(pod: KubeObject, options: LogOptions) {
      try {
        yield* executor.readLogs(objectKey(pod), toReadOptions(options, clock.now()));
      } catch (error) {
        if (!hasCode(error, 'LogsNotFound')) throw error;
        throw notFound(pod, options);
      }
    },
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
function notFound({ metadata: { name } }: KubeObject, { container, previous }: LogOptions): Error {
  const which = previous ? 'previous terminated container' : 'container';
  const text = `${which} "${container}" in pod "${name}" not found`;
  return statusError(previous ? 'BadRequest' : 'NotFound', text);
}
