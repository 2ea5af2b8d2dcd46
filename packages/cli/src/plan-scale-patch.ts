import type { JsonObject } from '@fnlet/base';
import type { AutoscaleFlags } from './flags.ts';

/** The merge patch of `spec.scale` that the flags ask for; `undefined` when they ask for nothing. */
export function planScalePatch(flags: AutoscaleFlags): JsonObject | undefined {
  const { min, max, metric, target, idleAfter, predict } = flags;
  const said = Object.entries({ min, max, metric, target, idleAfter }).filter(
    ([, value]) => value !== undefined,
  );
  const scale = {
    ...Object.fromEntries(said),
    // A list of metrics would count in place of the one that is named now.
    ...(metric === undefined && target === undefined ? {} : { metrics: null }),
    ...(predict === undefined ? {} : { prediction: predict ? {} : null }),
  };
  return Object.keys(scale).length === 0 ? undefined : { spec: { scale } };
}
