import type { Instance } from '@fnlet/executor';
import { instanceFailure, type RolloutFailure } from './rollout-failure.ts';

/**
 * Why the Revision that serves has nobody to serve: all of its Instances have failed and wait to be
 * restarted. A Revision that sleeps, or is waking for the first time, is in no trouble.
 */
export function findTrouble(instances: readonly Instance[]): RolloutFailure | undefined {
  if (instances.some(({ phase }) => phase === 'ready')) return undefined;
  const failed = instances.find(({ phase, lastExit }) => phase === 'backingOff' && lastExit);
  return failed === undefined ? undefined : instanceFailure(failed);
}
