import type { Instance } from '@fnlet/executor';
import type { Outage } from '@fnlet/gateway';
import { instanceFailure } from './rollout-failure.ts';

/**
 * What callers are told of a Revision all of whose Instances wait to be started again: the one that
 * comes first says when. `undefined` while any of them is there or on its way.
 */
export function planOutage(instances: readonly Instance[], now: number): Outage | undefined {
  let first: { readonly instance: Instance; readonly atMs: number } | undefined;
  for (const instance of instances) {
    const { restartAtMs } = instance;
    if (restartAtMs === undefined) return undefined;
    if (first === undefined || restartAtMs < first.atMs) first = { instance, atMs: restartAtMs };
  }
  if (first === undefined) return undefined;
  const { reason, message } = instanceFailure(withoutOutput(first.instance));
  return { reason, message, retryAfterMs: Math.max(0, first.atMs - now) };
}

/** What a function writes is for those who may read its log, not for its callers. */
function withoutOutput(instance: Instance): Instance {
  const { lastExit } = instance;
  if (lastExit === undefined) return instance;
  const { said: _said, ...exit } = lastExit;
  return { ...instance, lastExit: exit };
}
