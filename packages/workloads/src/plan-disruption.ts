import { type ConditionUpdate, mergeConditions, toKubeTime } from '@fnlet/machinery';
import type { DisruptionBudget, DisruptionStatus } from './disruption-budget.ts';
import { resolveShare } from './int-or-percent.ts';
import { limits } from './limits.ts';
import { controllerUid } from './owner.ts';
import { isPodReady, isTerminating, type Pod } from './pod.ts';

/** How many Pods a Pod's controller is to have, or why nobody can tell. */
export type ControllerScale =
  /** `uid` is that of the Deployment behind a ReplicaSet. */
  | { readonly kind: 'scaled'; readonly uid: string; readonly replicas: number }
  | { readonly kind: 'unknown'; readonly why: string };

export interface DisruptionSituation {
  readonly budget: DisruptionBudget;
  /** The Pods that it selects. */
  readonly pods: readonly Pod[];
  /** By the uid of the Pods' controllers. */
  readonly scales: ReadonlyMap<string, ControllerScale>;
  readonly nowMs: number;
}

export interface DisruptionPlan {
  readonly status: DisruptionStatus;
  /** To be said about the budget. */
  readonly notices: readonly DisruptionNotice[];
  /** Pods that were let go, and are still there. */
  readonly overdue: readonly Pod[];
  /** When the next of the disrupted Pods is overdue. */
  readonly lookAtMs: number | undefined;
}

export interface DisruptionNotice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Counts what a budget protects, and how much of it may go now (disruption/disruption.go). */
export function planDisruption(situation: DisruptionSituation): DisruptionPlan {
  const { budget, pods, nowMs } = situation;
  const { generation = 0 } = budget.metadata;
  const disrupted = findDisrupted(situation);
  const rest = { overdue: disrupted.overdue, lookAtMs: disrupted.lookAtMs };
  const expected = expectPods(situation);
  if (expected.kind === 'unknown') {
    const { why } = expected;
    const text = `Failed to calculate the number of expected pods: ${why}`;
    const notice = warning('CalculateExpectedPodCountFailed', text);
    return { status: failedStatus(situation, why), notices: [notice], ...rest };
  }
  const { expectedPods, desiredHealthy } = expected;
  const counted = pods.filter((pod) => isPodReady(pod) && !isTerminating(pod));
  const going = new Set(disrupted.waiting.map(([name]) => name));
  const currentHealthy = counted.filter(({ metadata }) => !going.has(metadata.name)).length;
  // A budget whose first Pods are not seen yet lets none of them go.
  const spare = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const condition: ConditionUpdate = {
    type: 'DisruptionAllowed',
    status: spare > 0 ? 'True' : 'False',
    reason: spare > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: generation,
  };
  const status: DisruptionStatus = {
    observedGeneration: generation,
    disruptionsAllowed: spare,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(going.size === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted.waiting) }),
    conditions: withCondition(budget, condition, nowMs),
  };
  return { status, notices: [...noPods(situation), ...unmanaged(situation)], ...rest };
}

type Expectation =
  | { readonly kind: 'known'; readonly expectedPods: number; readonly desiredHealthy: number }
  | { readonly kind: 'unknown'; readonly why: string };

function expectPods(situation: DisruptionSituation): Expectation {
  const { minAvailable, maxUnavailable } = situation.budget.spec;
  // A number of Pods needs nobody's scale.
  if (maxUnavailable === undefined && typeof minAvailable !== 'string') {
    const expectedPods = situation.pods.length;
    return { kind: 'known', expectedPods, desiredHealthy: minAvailable ?? 0 };
  }
  const scale = sumScales(situation);
  if (scale.kind === 'unknown') return scale;
  const expectedPods = scale.replicas;
  const share = resolveShare(maxUnavailable ?? minAvailable ?? 0, expectedPods, Math.ceil);
  const desired = maxUnavailable === undefined ? share : Math.max(0, expectedPods - share);
  return { kind: 'known', expectedPods, desiredHealthy: desired };
}

/** What all controllers of the Pods want together; Pods of nobody count for nothing. */
function sumScales({
  pods,
  scales,
}: DisruptionSituation):
  | { readonly kind: 'scaled'; readonly replicas: number }
  | { readonly kind: 'unknown'; readonly why: string } {
  const replicasByUid = new Map<string, number>();
  for (const pod of pods) {
    const uid = controllerUid(pod);
    if (uid === undefined) continue;
    const scale = scales.get(uid);
    if (scale === undefined) {
      return { kind: 'unknown', why: `found no controllers for pod "${pod.metadata.name}"` };
    }
    if (scale.kind === 'unknown') return scale;
    replicasByUid.set(scale.uid, scale.replicas);
  }
  const replicas = replicasByUid.values().reduce((sum, count) => sum + count, 0);
  return { kind: 'scaled', replicas };
}

interface Disrupted {
  /** Names and times, of those that are still to go. */
  readonly waiting: readonly (readonly [name: string, time: string])[];
  readonly overdue: readonly Pod[];
  readonly lookAtMs: number | undefined;
}

// What is gone, or on its way, is not waited for.
function findDisrupted({ budget, pods, nowMs }: DisruptionSituation): Disrupted {
  const times = budget.status?.disruptedPods ?? {};
  const waiting: [string, string][] = [];
  const overdue: Pod[] = [];
  const ends: number[] = [];
  for (const pod of pods) {
    const { name } = pod.metadata;
    const time = Object.hasOwn(times, name) ? times[name] : undefined;
    if (time === undefined || isTerminating(pod)) continue;
    const endMs = Date.parse(time) + limits.disruptionTimeoutMs;
    if (endMs < nowMs) {
      overdue.push(pod);
    } else {
      waiting.push([name, time]);
      ends.push(endMs + 1);
    }
  }
  return { waiting, overdue, lookAtMs: ends.length === 0 ? undefined : Math.min(...ends) };
}

/** What is known stays; nothing may go until somebody can count again. */
function failedStatus({ budget, nowMs }: DisruptionSituation, why: string): DisruptionStatus {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {};
  const { observedGeneration, disruptedPods } = budget.status ?? {};
  const condition: ConditionUpdate = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: why,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    disruptionsAllowed: 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(disruptedPods === undefined ? {} : { disruptedPods }),
    conditions: withCondition(budget, condition, nowMs),
  };
}

function withCondition(
  { status }: DisruptionBudget,
  condition: ConditionUpdate,
  nowMs: number,
): DisruptionStatus['conditions'] & object {
  return mergeConditions(status?.conditions ?? [], [condition], toKubeTime(nowMs));
}

function noPods({ pods }: DisruptionSituation): DisruptionNotice[] {
  if (pods.length > 0) return [];
  return [{ type: 'Normal', reason: 'NoPods', message: 'No matching pods found' }];
}

function unmanaged({ budget, pods }: DisruptionSituation): DisruptionNotice[] {
  const { minAvailable, maxUnavailable } = budget.spec;
  const isCounted = maxUnavailable === undefined && typeof minAvailable !== 'string';
  if (isCounted || pods.every((pod) => controllerUid(pod) !== undefined)) return [];
  const text =
    'Pods selected by this PodDisruptionBudget have no controller, so that they cannot be counted; ' +
    'set .spec.minAvailable to a number to account for them';
  return [warning('UnmanagedPods', text)];
}

function warning(reason: string, message: string): DisruptionNotice {
  return { type: 'Warning', reason, message };
}
