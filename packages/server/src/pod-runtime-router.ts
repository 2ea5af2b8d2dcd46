import type { PodRuntime } from '@fnlet/apiserver';
import type { KubeObject } from '@fnlet/machinery';

/** Asks whoever runs a Pod: the executor those that mirror its Instances, the kubelet all others. */
export function routePods(runtimes: {
  readonly instances: PodRuntime;
  readonly containers: PodRuntime;
}): PodRuntime {
  const { instances, containers } = runtimes;
  const of = ({ metadata }: KubeObject): PodRuntime =>
    metadata.labels?.['fnlet.dev/revision'] === undefined ? containers : instances;
  const router: PodRuntime = {
    logs: (pod, options) => of(pod).logs(pod, options),
    exec: (pod, options) => of(pod).exec(pod, options),
    attach: (pod, options) => of(pod).attach(pod, options),
    portForward: (pod, port, signal) => of(pod).portForward(pod, port, signal),
    connectService: (service, signal) => instances.connectService?.(service, signal),
  };
  const { readUsage: readInstances } = instances;
  const { readUsage: readContainers } = containers;
  if (readInstances === undefined || readContainers === undefined) return router;
  return {
    ...router,
    async readUsage(signal) {
      const readings = await Promise.all([readInstances(signal), readContainers(signal)]);
      return { ...readings[0], pods: readings.flatMap(({ pods }) => pods) };
    },
  };
}
