import {
  growthLimit,
  type Recommendations,
  recentChanges,
  recommend,
  type ScaleChange,
  type ScalingRules,
  shrinkLimit,
  stabilize,
} from '@fnlet/scaling';
import type { AutoscalerSpec, BehaviorRules } from './horizontal-pod-autoscaler.ts';

/** What is remembered of an autoscaler from one look to the next. */
export interface AutoscalerHistory {
  readonly recommendations: Recommendations;
  readonly changes: readonly ScaleChange[];
}

/** A statement of the status, in the words of kubernetes. */
export interface Remark {
  readonly reason: string;
  readonly message: string;
}

export interface ReplicasDecision {
  readonly replicas: number;
  readonly recommendations: Recommendations;
  /** Of the condition `AbleToScale`. */
  readonly able: Remark;
  /** Of the condition `ScalingLimited`. */
  readonly limited: Remark & { readonly isLimited: boolean };
}

/** As kube-controller-manager: for so long the highest recommendation counts before it shrinks. */
const shrinkStabilizationMs = 300_000;

/**
 * Brings what metrics ask for within the bounds, the rates and the stabilisation of an autoscaler
 * (podautoscaler/horizontal.go, `normalizeDesiredReplicas` with and without behaviour).
 */
export function decideReplicas(
  spec: AutoscalerSpec,
  history: AutoscalerHistory,
  {
    current,
    asked,
    now,
  }: { readonly current: number; readonly asked: number; readonly now: number },
): ReplicasDecision {
  const { growth, shrinking } = rulesOf(spec);
  const recommendations = recommend(
    history.recommendations,
    { atMs: now, count: asked },
    { growMs: growth.stabilizationMs, shrinkMs: shrinking.stabilizationMs },
  );
  const steady = stabilize(current, recommendations);
  const able =
    steady === asked
      ? remark('ReadyForNewScale', 'recommended size matches current size')
      : asked >= current && spec.behavior !== undefined
        ? remark('ScaleUpStabilized', `recent recommendations were lower ${applied('lowest')}`)
        : remark('ScaleDownStabilized', `recent recommendations were higher ${applied('highest')}`);
  const { changes } = history;
  const most =
    spec.behavior === undefined
      ? Math.max(2 * current, growthAlways)
      : growthLimit({ rules: growth, current, changes, now });
  const fewest = shrinkLimit({ rules: shrinking, current, changes, now });
  const limited = limit(steady, { spec, current, most, fewest });
  return { ...limited, recommendations, able };
}

/** To so many replicas an autoscaler without behaviour grows at once. */
const growthAlways = 4;

function applied(which: string): string {
  return `than current one, applying the ${which} recent recommendation`;
}

function limit(
  steady: number,
  bounds: {
    readonly spec: AutoscalerSpec;
    readonly current: number;
    readonly most: number;
    readonly fewest: number;
  },
): Pick<ReplicasDecision, 'replicas' | 'limited'> {
  const { spec, current, most, fewest } = bounds;
  const { minReplicas: min = 1, maxReplicas: max } = spec;
  const limitedTo = (replicas: number, why: Remark): ReturnType<typeof limit> => {
    return { replicas, limited: { ...why, isLimited: true } };
  };
  if (steady > Math.min(max, most)) {
    const isRate = most < max;
    return limitedTo(Math.min(max, most), isRate ? tooFast('increasing', 'Up') : tooMany);
  }
  const isFalling = steady < current && fewest > min;
  if (isFalling && steady < fewest) return limitedTo(fewest, tooFast('decreasing', 'Down'));
  if (steady < min) return limitedTo(min, tooFew);
  return { replicas: steady, limited: { ...withinRange, isLimited: false } };
}

function remark(reason: string, message: string): Remark {
  return { reason, message };
}

function tooFast(direction: string, reason: 'Up' | 'Down'): Remark {
  const message = `the desired replica count is ${direction} faster than the maximum scale rate`;
  return remark(`Scale${reason}Limit`, message);
}

const tooMany = remark(
  'TooManyReplicas',
  'the desired replica count is more than the maximum replica count',
);

const tooFew = remark(
  'TooFewReplicas',
  'the desired replica count is less than the minimum replica count',
);

const withinRange = remark(
  'DesiredWithinRange',
  'the desired count is within the acceptable range',
);

/** The history after a change that was made. */
export function rememberChange(
  spec: AutoscalerSpec,
  { changes }: AutoscalerHistory,
  change: ScaleChange,
): readonly ScaleChange[] {
  const { growth, shrinking } = rulesOf(spec);
  return recentChanges([...changes, change], [growth, shrinking], change.atMs);
}

function rulesOf({ behavior }: AutoscalerSpec): {
  readonly growth: ScalingRules;
  readonly shrinking: ScalingRules;
} {
  const { scaleUp, scaleDown } = behavior ?? {};
  return {
    growth: toRules(scaleUp, 0),
    shrinking: toRules(scaleDown, shrinkStabilizationMs),
  };
}

function toRules(rules: BehaviorRules = {}, stabilizationMs: number): ScalingRules {
  const { selectPolicy = 'Max', policies = [], stabilizationWindowSeconds: seconds } = rules;
  return {
    select: selectPolicy,
    stabilizationMs: seconds === undefined ? stabilizationMs : seconds * 1000,
    policies: policies.map(({ type, value, periodSeconds }) => ({
      type: type === 'Pods' ? 'Instances' : type,
      value,
      periodMs: periodSeconds * 1000,
    })),
  };
}
