import type { LogOptions } from '@fnlet/apiserver';
import type { ReadLogsOptions } from '@fnlet/executor';
import { type KubeObject, type StatusError, statusError } from '@fnlet/machinery';

/** What a reader of log files is told of a request for a container's log. */
export function toReadOptions(options: LogOptions, nowMs: number): ReadLogsOptions {
  const { follow, previous, awaitsRun, timestamps, tailLines, limitBytes, signal } = options;
  const sinceMs = startOf(options, nowMs);
  return {
    ...{ follow, previous, awaitsRun, timestamps, signal },
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
}

function startOf({ sinceSeconds, sinceTime }: LogOptions, nowMs: number): number | undefined {
  if (sinceSeconds !== undefined) return nowMs - sinceSeconds * 1000;
  return sinceTime === undefined ? undefined : Date.parse(sinceTime);
}

/** There is no such log: in the words of a kubelet, which kubectl prints as they are. */
export function logsNotFound(
  { metadata: { name } }: KubeObject,
  { container, previous }: LogOptions,
): StatusError {
  const which = previous ? 'previous terminated container' : 'container';
  const text = `${which} "${container}" in pod "${name}" not found`;
  return statusError(previous ? 'BadRequest' : 'NotFound', text);
}
