import type { PodRuntime } from '@fnlet/apiserver';
import { statusError } from '@fnlet/machinery';

/** A PodRuntime whose work begins after the API has begun to listen. */
export interface LatePodRuntime extends PodRuntime {
  /** From now on `runtime` is asked. */
  begin(runtime: PodRuntime): void;
}

/** Until it begins, it asks for patience, as an API does whose node is still starting. */
export function createLatePodRuntime(platform: string): LatePodRuntime {
  let begun: PodRuntime | undefined;
  const runtime = (): PodRuntime => {
    if (begun !== undefined) return begun;
    throw notReady();
  };
  const late: LatePodRuntime = {
    begin(other) {
      begun = other;
    },
    logs: (pod, options) => runtime().logs(pod, options),
    exec: async (pod, options) => runtime().exec(pod, options),
    attach: async (pod, options) => runtime().attach(pod, options),
    portForward: async (pod, port, signal) => runtime().portForward(pod, port, signal),
    connectService: (service, signal) => runtime().connectService?.(service, signal),
  };
  // What processes use is told by /proc; whether there are metrics is decided before they begin.
  if (platform !== 'linux') return late;
  return {
    ...late,
    readUsage: async (signal) => {
      const reading = runtime().readUsage?.(signal);
      if (reading === undefined) throw notReady();
      return reading;
    },
  };
}

function notReady(): Error {
  return statusError('ServiceUnavailable', 'Instances are not ready to be asked yet', {
    retryAfterSeconds: 1,
  });
}
