import type { PodRuntime, UsageReading } from '@fnlet/apiserver';
import { type Clock, hasCode } from '@fnlet/base';
import type { ContainerLogKey, ContainersUsage, ProcessContainers } from '@fnlet/executor';
import { formatObjectKey, type KubeObject, statusError } from '@fnlet/machinery';
import { toStatusError } from './access-error.ts';
import { toReadOptions } from './log-request.ts';

type ContainerAccess = Pick<
  ProcessContainers,
  'readLogs' | 'exec' | 'attach' | 'connect' | 'readUsage'
>;

/** Gives the API what clients want of Pods whose containers run as processes. */
export function createContainerPodRuntime(
  containers: ContainerAccess,
  { clock, nodeName }: { readonly clock: Clock; readonly nodeName: string },
): PodRuntime {
  return {
    async *logs(pod, options) {
      try {
        const read = toReadOptions(options, clock.now());
        yield* containers.readLogs(keyOf(pod, options.container), read);
      } catch (error) {
        // The API has seen in its status that it ran: what said nothing has left no file.
        if (!hasCode(error, 'LogsNotFound')) throw error;
      }
    },
    async exec(pod, { container, command, stdin, tty, signal }) {
      try {
        const options = { command, stdin, tty, signal };
        const { resize, ...process } = await containers.exec(keyOf(pod, container), options);
        return { ...process, resize: ({ columns, rows }) => resize(columns, rows) };
      } catch (error) {
        throw toStatusError(error, container);
      }
    },
    async attach(pod, { container, stdin, signal }) {
      try {
        const options = { stdin, signal };
        const { ended, resize, ...streams } = containers.attach(keyOf(pod, container), options);
        return {
          ...streams,
          // How the container ended is told by its status, not by who was attached.
          exitCode: ended.then(() => 0),
          resize: ({ columns, rows }) => resize(columns, rows),
        };
      } catch (error) {
        throw toStatusError(error, container);
      }
    },
    async portForward(pod, port, signal) {
      const host = podAddress(pod);
      if (host === undefined) throw statusError('NotFound', 'the Pod has no address');
      try {
        return await containers.connect({ host, port }, signal).catch((error: unknown) => {
          if (!hasCode(error, 'PortUnreachable')) throw error;
          // A kubelet forwards to localhost, which is all that some programs listen on.
          return containers.connect({ host: '127.0.0.1', port }, signal);
        });
      } catch (error) {
        throw toStatusError(error, '');
      }
    },
    readUsage: async () => toUsageReading(await containers.readUsage(), nodeName),
  };
}

function keyOf({ metadata }: KubeObject, container: string): ContainerLogKey {
  return { pod: metadata.uid ?? '', container };
}

function podAddress({ status }: KubeObject): string | undefined {
  if (typeof status !== 'object' || status === null || !('podIP' in status)) return undefined;
  return typeof status.podIP === 'string' && status.podIP !== '' ? status.podIP : undefined;
}

function toUsageReading(
  { containers, machine, ...times }: ContainersUsage,
  nodeName: string,
): UsageReading {
  const pods = Map.groupBy(containers, ({ key }) => formatObjectKey(key));
  return {
    ...times,
    node: { name: nodeName, ...machine },
    pods: [...pods.values()].flatMap((members) => {
      const [first] = members;
      if (first === undefined) return [];
      const used = members.map(({ container, usage }) => ({ name: container, ...usage }));
      return [{ ...first.key, containers: used }];
    }),
  };
}
