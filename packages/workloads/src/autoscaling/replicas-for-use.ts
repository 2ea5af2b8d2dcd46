import type { Pod } from '../pod.ts';
import { groupPods, type PodMetric } from './group-pods.ts';

export interface UseSituation {
  readonly pods: readonly Pod[];
  /** By the name of the Pod. */
  readonly metrics: ReadonlyMap<string, PodMetric>;
  readonly resource: string;
  /** What each Pod requests, in thousandths; `undefined`: the target is a value. */
  readonly requests: ReadonlyMap<string, number> | undefined;
  /** Percent of the request, or thousandths for each Pod. */
  readonly target: number;
  /** Replicas that are wanted now. */
  readonly current: number;
  readonly tolerance: { readonly up: number; readonly down: number };
  readonly now: number;
}

export interface UseVerdict {
  readonly replicas: number;
  /** Percent of the request; `undefined` where the target is a value. */
  readonly utilization: number | undefined;
  /** What a Pod uses on average, in thousandths. */
  readonly averageMilli: number;
}

/**
 * How many replicas what Pods use asks for: `ceil(ratio of use to target x Pods)`, unless the ratio
 * is within the tolerance (podautoscaler/replica_calculator.go). Pods that were not measured, or are
 * too young, are assumed to use what speaks against a change; a change that turns round by that is
 * none. A text says why nothing can be said.
 */
export function replicasForUse(situation: UseSituation): UseVerdict | string {
  const { pods, current, target, requests } = situation;
  if (pods.length === 0) return 'no pods returned by selector while calculating replica count';
  const groups = groupPods(pods, situation.metrics, situation);
  const aside = new Set([...groups.ignored, ...groups.unready]);
  const measured = [...situation.metrics].filter(([name]) => !aside.has(name));
  const used = new Map(measured.map(([name, { milli }]) => [name, milli]));
  if (used.size === 0) {
    return 'did not receive metrics for targeted pods (pods might be unready)';
  }
  const first = compare(used, situation);
  if (typeof first === 'string') return first;
  const { ratio, ...seen } = first;
  const verdict = (replicas: number): UseVerdict => ({ replicas, ...seen });
  const hasIdle = groups.unready.length > 0 && ratio > 1;
  if (!hasIdle && groups.missing.length === 0) {
    return verdict(isClose(ratio, situation) ? current : Math.ceil(ratio * groups.ready));
  }
  for (const name of groups.missing) {
    if (ratio < 1) used.set(name, fullUse(requests?.get(name), target));
    else if (ratio > 1) used.set(name, 0);
  }
  if (hasIdle) for (const name of groups.unready) used.set(name, 0);
  const second = compare(used, situation);
  if (typeof second === 'string') return second;
  const turns = (ratio < 1 && second.ratio > 1) || (ratio > 1 && second.ratio < 1);
  if (turns || isClose(second.ratio, situation)) return verdict(current);
  const replicas = Math.ceil(second.ratio * used.size);
  const isOther = second.ratio < 1 ? replicas > current : replicas < current;
  return verdict(isOther ? current : replicas);
}

/** What a Pod that was not measured is taken to use when others use little. */
function fullUse(request: number | undefined, target: number): number {
  return request === undefined ? target : (request * Math.max(100, target)) / 100;
}

interface Comparison extends Omit<UseVerdict, 'replicas'> {
  readonly ratio: number;
}

function compare(
  used: ReadonlyMap<string, number>,
  { requests, target }: UseSituation,
): Comparison | string {
  if (requests === undefined) {
    const total = [...used.values()].reduce((sum, milli) => sum + milli, 0);
    const averageMilli = Math.trunc(total / used.size);
    return { ratio: averageMilli / target, utilization: undefined, averageMilli };
  }
  let total = 0;
  let requested = 0;
  let count = 0;
  for (const [name, milli] of used) {
    const request = requests.get(name);
    if (request === undefined) continue;
    total += milli;
    requested += request;
    count++;
  }
  if (requested === 0) return 'no metrics returned matched known pods';
  const utilization = Math.trunc((total * 100) / requested);
  return { ratio: utilization / target, utilization, averageMilli: Math.trunc(total / count) };
}

function isClose(ratio: number, { tolerance }: UseSituation): boolean {
  return 1 - tolerance.down <= ratio && ratio <= 1 + tolerance.up;
}
