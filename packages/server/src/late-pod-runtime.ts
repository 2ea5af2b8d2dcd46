import type { PodRuntime } from '@fnlet/apiserver';
import { statusError } from '@fnlet/machinery';

/** A PodRuntime whose work begins after the API has begun to listen. */
export interface LatePodRuntime extends PodRuntime {
  /** From now on `runtime` is asked. */
  begin(runtime: PodRuntime): void;
}

/** Until it begins, it asks for patience, as an API does whose node is still starting. */
export function createLatePodRuntime(): LatePodRuntime {
  let runtime: PodRuntime | undefined;
  return {
    begin(begun) {
      runtime = begun;
    },
    logs(pod, options) {
      if (runtime !== undefined) return runtime.logs(pod, options);
      throw statusError('ServiceUnavailable', 'Instances are not ready to be asked yet', {
        retryAfterSeconds: 1,
      });
    },
  };
}
