import {
  type Condition,
  type ConditionUpdate,
  mergeConditions,
  toKubeTime,
} from '@fnlet/machinery';
import type { Happening } from '@fnlet/reconcile';
import { type AutoscalerHistory, decideReplicas, type Remark } from './decide-replicas.ts';
import type { AutoscalerStatus, HorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import type { MetricVerdict } from './measure-metric.ts';

/** The target, as its scale says. */
export interface TargetScale {
  /** Replicas that are wanted now. */
  readonly replicas: number;
  /** Which Pods are its own; empty: it does not say. */
  readonly selector: string;
  /** Why the selector cannot be read, if so. */
  readonly mistake?: string;
}

export interface AutoscalerPlan {
  /** Replicas that are to be wanted, and why; `undefined`: as many as there are. */
  readonly rescale: { readonly replicas: number; readonly reason: string } | undefined;
  /** What the status says if that succeeds. */
  readonly status: AutoscalerStatus;
  readonly happenings: readonly Happening[];
  readonly history: AutoscalerHistory;
}

export interface AutoscalerSituation {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly scale: TargetScale;
  /** Measures all metrics; asked only when they count. */
  readonly measure: () => readonly MetricVerdict[];
  readonly history: AutoscalerHistory;
  readonly now: number;
}

/**
 * Decides how many replicas an autoscaler wants, and what it says about that: conditions, reasons,
 * messages and Events of kubernetes (podautoscaler/horizontal.go, `reconcileAutoscaler`).
 */
export function planAutoscaler(situation: AutoscalerSituation): AutoscalerPlan {
  const { autoscaler, scale, history } = situation;
  const { minReplicas: min = 1, maxReplicas: max } = autoscaler.spec;
  const current = scale.replicas;
  if (current === 0 && min !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    const disabled = active('False', { reason: 'ScalingDisabled', message });
    return finish(situation, { conditions: [gotScale, disabled], desired: 0, history });
  }
  if (current > max) {
    const reason = 'Current number of replicas above Spec.MaxReplicas';
    return rescale(situation, { replicas: max, reason }, { conditions: [gotScale], history });
  }
  if (current < min) {
    const reason = 'Current number of replicas below Spec.MinReplicas';
    return rescale(situation, { replicas: min, reason }, { conditions: [gotScale], history });
  }
  if (scale.selector === '') {
    const message = "the HPA target's scale is missing a selector";
    const conditions = [gotScale, active('False', { reason: 'InvalidSelector', message })];
    const required = { type: 'Warning', reason: 'SelectorRequired' } as const;
    const happenings = [{ ...required, message: 'selector is required' }];
    return giveUp(situation, { conditions, happenings, error: 'selector is required' });
  }
  if (scale.mistake !== undefined) {
    const what = "couldn't convert selector into a corresponding internal selector object";
    const remark = { reason: 'InvalidSelector', message: `${what}: ${scale.mistake}` };
    const conditions = [gotScale, active('False', remark)];
    const happenings = [{ type: 'Warning', ...remark } as const];
    return giveUp(situation, { conditions, happenings, error: remark.message });
  }
  return planByMetrics(situation);
}

function planByMetrics(situation: AutoscalerSituation): AutoscalerPlan {
  const { autoscaler, scale, history, now } = situation;
  const current = scale.replicas;
  const verdicts = situation.measure();
  const measured = verdicts.filter((verdict) => verdict.kind === 'measured');
  const failures = verdicts.filter((verdict) => verdict.kind === 'failed');
  const [best] = measured.toSorted((a, b) => b.replicas - a.replicas);
  const [failure] = failures;
  const happenings = failures.map(({ reason, error }) => {
    return { type: 'Warning', reason, message: error } as const;
  });
  // Who knows only a part must not shrink by it.
  if (best === undefined || (failure !== undefined && best.replicas < current)) {
    const { reason = '', error = '', summary = '' } = failure ?? {};
    const message = `the HPA was unable to compute the replica count: ${error}`;
    const conditions = [gotScale, active('False', { reason, message })];
    const count = `${failures.length} invalid out of ${verdicts.length}`;
    const text = `invalid metrics (${count}), first error is: ${summary}`;
    return giveUp(situation, { conditions, happenings, error: text });
  }
  const valid = active('True', {
    reason: 'ValidMetricFound',
    message: `the HPA was able to successfully calculate a replica count from ${best.name}`,
  });
  const asked = best.replicas;
  const decision = decideReplicas(autoscaler.spec, history, { current, asked, now });
  const { replicas, able, limited, recommendations } = decision;
  const found = {
    conditions: [
      { type: 'AbleToScale', status: 'True', ...able } as const,
      valid,
      limitedBy(limited.isLimited ? 'True' : 'False', limited),
    ],
    metrics: verdicts.map((verdict) => (verdict.kind === 'measured' ? verdict.status : noMetric)),
    history: { ...history, recommendations },
    happenings,
  };
  if (replicas === current) return finish(situation, { ...found, desired: current });
  const reason = asked > current ? `${best.name} above target` : 'All metrics below target';
  return rescale(situation, { replicas, reason }, found);
}

/** As kubernetes shows a metric that could not be measured. */
const noMetric = { type: '' };

interface Found {
  readonly conditions: readonly ConditionUpdate[];
  readonly metrics?: readonly object[];
  readonly happenings?: readonly Happening[];
  readonly history: AutoscalerHistory;
}

function rescale(
  situation: AutoscalerSituation,
  wanted: { readonly replicas: number; readonly reason: string },
  found: Found,
): AutoscalerPlan {
  const { replicas, reason } = wanted;
  const message = `the HPA controller was able to update the target scale to ${replicas}`;
  const done: ConditionUpdate = {
    ...{ type: 'AbleToScale', status: 'True', reason: 'SucceededRescale', message },
  };
  const told: Happening = {
    type: 'Normal',
    reason: 'SuccessfulRescale',
    message: `New size: ${replicas}; reason: ${reason}`,
  };
  const conditions = [...found.conditions.filter(({ type }) => type !== done.type), done];
  const happenings = [...(found.happenings ?? []), told];
  const plan = finish(situation, { ...found, conditions, happenings, desired: replicas });
  const lastScaleTime = toKubeTime(situation.now);
  return { ...plan, rescale: wanted, status: { ...plan.status, lastScaleTime } };
}

/** No number can be computed: everything stays as it is. */
function giveUp(
  situation: AutoscalerSituation,
  why: Omit<Found, 'history'> & { readonly error: string },
): AutoscalerPlan {
  const { autoscaler, history } = situation;
  const failed: Happening = {
    type: 'Warning',
    reason: 'FailedComputeMetricsReplicas',
    message: why.error,
  };
  const { desiredReplicas: desired = 0, currentMetrics: metrics = [] } = autoscaler.status ?? {};
  const happenings = [...(why.happenings ?? []), failed];
  return finish(situation, { ...why, happenings, desired, metrics, history });
}

function finish(
  { autoscaler, scale, now }: AutoscalerSituation,
  found: Found & { readonly desired: number },
): AutoscalerPlan {
  const { conditions, desired, metrics = [], happenings = [], history } = found;
  const { generation } = autoscaler.metadata;
  return {
    rescale: undefined,
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      currentReplicas: scale.replicas,
      desiredReplicas: desired,
      currentMetrics: metrics,
      conditions: withConditions(autoscaler, conditions, now),
    },
    happenings,
    history,
  };
}

/** The conditions of an autoscaler with some that are new. */
export function withConditions(
  { status }: HorizontalPodAutoscaler,
  updates: readonly ConditionUpdate[],
  now: number,
): readonly Condition[] {
  return mergeConditions(status?.conditions ?? [], updates, toKubeTime(now));
}

const gotScale: ConditionUpdate = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

function active(status: 'True' | 'False', { reason, message }: Remark): ConditionUpdate {
  return { type: 'ScalingActive', status, reason, message };
}

function limitedBy(status: 'True' | 'False', { reason, message }: Remark): ConditionUpdate {
  return { type: 'ScalingLimited', status, reason, message };
}
