import { isPodReady, isTerminating, type Pod } from '../pod.ts';

/** What one Pod uses, in thousandths, over a time that ended at a moment. */
export interface PodMetric {
  readonly milli: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/** Pods by what their metrics are worth. */
export interface PodGroups {
  /** How many count as they are. */
  readonly ready: number;
  /** Too young to be judged: they count as idle when others ask for more. */
  readonly unready: readonly string[];
  /** Not measured. */
  readonly missing: readonly string[];
  /** On their way out. */
  readonly ignored: readonly string[];
}

/** As kube-controller-manager: after a start, CPU says little about the load that is to come. */
const cpuInitializationMs = 300_000;

/** As kube-controller-manager: readiness that changes so soon after a start is still the start. */
const initialReadinessMs = 30_000;

/** Groups Pods as kubernetes does (podautoscaler/replica_calculator.go, `groupPods`). */
export function groupPods(
  pods: readonly Pod[],
  metrics: ReadonlyMap<string, PodMetric>,
  { resource, now }: { readonly resource: string; readonly now: number },
): PodGroups {
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  let ready = 0;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const metric = metrics.get(name);
    if (isTerminating(pod) || pod.status?.phase === 'Failed') ignored.push(name);
    else if (pod.status?.phase === 'Pending') unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, metric, now)) unready.push(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

function isStarting(pod: Pod, metric: PodMetric, now: number): boolean {
  const { conditions = [], startTime } = pod.status ?? {};
  const ready = conditions.find(({ type }) => type === 'Ready');
  const startedMs = Date.parse(startTime ?? '');
  if (ready === undefined || Number.isNaN(startedMs)) return true;
  const changedMs = Date.parse(ready.lastTransitionTime ?? '');
  if (now < startedMs + cpuInitializationMs) {
    // Its window has to begin after it was ready.
    return !isPodReady(pod) || metric.atMs < changedMs + metric.windowMs;
  }
  return !isPodReady(pod) && startedMs + initialReadinessMs > changedMs;
}
