import type { Instance, Obstacle } from '@fnlet/executor';
import { instanceFailure, type RolloutFailure } from './rollout-failure.ts';

/**
 * Why the Revision that serves has nobody to serve: all of its Instances have failed and wait to be
 * restarted, or something keeps them from starting. A Revision that sleeps, or is waking for the
 * first time, is in no trouble.
 */
export function findTrouble(instances: readonly Instance[]): RolloutFailure | undefined {
  if (instances.some(({ phase }) => phase === 'ready')) return undefined;
  const failed = instances.find(({ phase, lastExit }) => phase === 'backingOff' && lastExit);
  if (failed !== undefined) return instanceFailure(failed);
  const obstacle = findObstacle(instances);
  return obstacle && { step: 'load', ...obstacle, backoff: undefined };
}

/** What keeps one of the Instances from starting, be others ready or not. */
export function findObstacle(instances: readonly Instance[]): Obstacle | undefined {
  return instances.find(({ obstacle }) => obstacle !== undefined)?.obstacle;
}
