import type { Node, Taint } from './node.ts';
import { isTerminating, type Pod, type PodSpec } from './pod.ts';

/** Where a Pod goes, or why it goes nowhere. */
export type BindingPlan =
  /** It is bound, finished or going, or somebody else's to place. */
  | { readonly kind: 'none' }
  | { readonly kind: 'bind'; readonly nodeName: string }
  | {
      readonly kind: 'unschedulable';
      readonly reason: 'Unschedulable' | 'SchedulingGated';
      readonly message: string;
    };

/** Decides where a Pod runs, among the nodes that there are (kube-scheduler, filter plugins). */
export function planBinding(pod: Pod, nodes: readonly Node[]): BindingPlan {
  const { spec } = pod;
  const { schedulerName = 'default-scheduler' } = spec;
  if ((spec.nodeName ?? '') !== '' || isTerminating(pod) || schedulerName !== 'default-scheduler') {
    return { kind: 'none' };
  }
  if ((spec.schedulingGates ?? []).length > 0) {
    const names = (spec.schedulingGates ?? []).map(({ name }) => name).join(' ');
    const message = `Scheduling is blocked due to non-empty scheduling gates [${names}]`;
    return { kind: 'unschedulable', reason: 'SchedulingGated', message };
  }
  const refusals = new Map<string, number>();
  for (const node of nodes) {
    const refusal = refusalOf(node, spec);
    if (refusal === undefined) return { kind: 'bind', nodeName: node.metadata.name };
    refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  }
  const reasons = [...refusals].map(([text, count]) => `${count} ${text}`).join(', ');
  const why = nodes.length === 0 ? 'no nodes available to schedule pods' : `${reasons}.`;
  const message = nodes.length === 0 ? why : `0/${nodes.length} nodes are available: ${why}`;
  return { kind: 'unschedulable', reason: 'Unschedulable', message };
}

function refusalOf({ metadata, spec = {} }: Node, pod: PodSpec): string | undefined {
  if (spec.unschedulable === true && !tolerates(pod, unschedulableTaint)) {
    return 'node(s) were unschedulable';
  }
  const taint = (spec.taints ?? []).find(
    (candidate) => candidate.effect !== 'PreferNoSchedule' && !tolerates(pod, candidate),
  );
  if (taint !== undefined) {
    return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  }
  const labels = metadata.labels ?? {};
  const matches = Object.entries(pod.nodeSelector ?? {}).every(
    ([key, value]) => labels[key] === value,
  );
  return matches ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

const unschedulableTaint: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
};

function tolerates({ tolerations = [] }: PodSpec, taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    if (key !== taint.key) return false;
    return operator === 'Exists' || value === (taint.value ?? '');
  });
}
