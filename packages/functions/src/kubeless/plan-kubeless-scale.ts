import type { FunctionSpec } from '@fnlet/api';
import type { KubelessFunctionSpec } from '@fnlet/api/kubeless';
import { isJsonObject } from '@fnlet/base';

/** How many Instances there are, and what of the wish is not kept. */
export interface KubelessScale {
  readonly scale: FunctionSpec['scale'];
  readonly notices: readonly string[];
}

/** What Fnlet's definition allows. */
const instancesMax = 1000;

/**
 * As many Instances as the Deployment has replicas, at least one as in Kubeless; with a
 * HorizontalPodAutoscaler, between its bounds. With `idleAfter` the function may sleep.
 */
export function planKubelessScale(
  { horizontalPodAutoscaler: autoscaler }: KubelessFunctionSpec,
  { replicas, idleAfter }: { readonly replicas?: number; readonly idleAfter?: string },
): KubelessScale {
  const bounds = readBounds(autoscaler);
  const least = bound(bounds?.min ?? replicas ?? 1);
  const min = idleAfter === undefined && replicas !== 0 ? Math.max(1, least) : 0;
  const max = Math.max(1, bound(bounds?.max ?? least), min);
  return {
    scale: { min, max, target: 50, limit: 0, idleAfter: idleAfter ?? '60s' },
    notices:
      bounds === undefined
        ? []
        : [
            'horizontalPodAutoscaler: its bounds count; calls in flight are what scales, not its metrics',
          ],
  };
}

function bound(count: number): number {
  return Math.min(instancesMax, Math.max(0, Math.trunc(count)));
}

/** Kubeless takes one that has a name and a target; any other counts as none. */
function readBounds(
  autoscaler: unknown,
): { readonly min: number | undefined; readonly max: number | undefined } | undefined {
  if (!isJsonObject(autoscaler)) return undefined;
  const { metadata, spec } = autoscaler;
  if (!isJsonObject(metadata) || !metadata.name || !isJsonObject(spec)) return undefined;
  const { scaleTargetRef, minReplicas, maxReplicas } = spec;
  if (!isJsonObject(scaleTargetRef) || !scaleTargetRef.name) return undefined;
  return { min: countOf(minReplicas), max: countOf(maxReplicas) };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
