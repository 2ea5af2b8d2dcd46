import { isPodReady, isTerminating, type Pod } from '../pod.ts';

/** One number of an object, or from outside, that replicas are to share. */
export interface NumberSituation {
  /** In thousandths. */
  readonly milli: number;
  /** In thousandths: of all together, or of each replica. */
  readonly target: { readonly kind: 'value' | 'averageValue'; readonly milli: number };
  readonly pods: readonly Pod[];
  /** Replicas that are wanted now. */
  readonly current: number;
  readonly tolerance: { readonly up: number; readonly down: number };
}

export interface NumberVerdict {
  readonly replicas: number;
  /** The number, or the part of each replica, in thousandths. */
  readonly milli: number;
}

/**
 * How many replicas a number asks for: as many as have a part of the target each, or as many times
 * the ready Pods as the number is of the target (podautoscaler/replica_calculator.go,
 * `GetObjectMetricReplicas`, `GetObjectPerPodMetricReplicas` and those of external metrics).
 */
export function replicasForNumber(situation: NumberSituation): NumberVerdict {
  const { milli, target, pods, current } = situation;
  const of = Math.max(1, target.milli);
  if (target.kind === 'averageValue') {
    const count = Math.max(1, current);
    const isEnough = isClose(milli / (of * count), situation);
    const replicas = isEnough ? current : Math.ceil(milli / of);
    return { replicas, milli: Math.ceil(milli / count) };
  }
  const ratio = milli / of;
  if (current === 0) return { replicas: Math.ceil(ratio), milli };
  const ready = pods.filter((pod) => isPodReady(pod) && !isTerminating(pod)).length;
  return { replicas: isClose(ratio, situation) ? current : Math.ceil(ratio * ready), milli };
}

function isClose(ratio: number, { tolerance }: NumberSituation): boolean {
  return 1 - tolerance.down <= ratio && ratio <= 1 + tolerance.up;
}
