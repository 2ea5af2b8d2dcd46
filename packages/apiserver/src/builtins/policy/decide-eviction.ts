import type { JsonObject } from '@fnlet/base';
import { type KubeObject, statusError } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { numberField } from '../cells.ts';
import { selects } from '../label-selector-rule.ts';

/** How long a client waits for whoever keeps the budget. */
const retryAfterSeconds = 10;

/** What becomes of a request to evict a Pod. */
export type EvictionDecision =
  /** Nobody minds. */
  | { readonly kind: 'allowed' }
  /** This budget allows it, and has one disruption less from now on. */
  | { readonly kind: 'counted'; readonly budget: KubeObject }
  | { readonly kind: 'refused'; readonly error: Error };

/**
 * Whether a Pod may be evicted. A Pod that has ended, is on its way out or has not begun disturbs
 * nobody; any other one needs its budget (kubernetes, registry/core/pod/storage/eviction.go).
 */
export function decideEviction(pod: KubeObject, budgets: Iterable<KubeObject>): EvictionDecision {
  const phase = textField(objectField(pod, 'status'), 'phase');
  if (phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) {
    return { kind: 'allowed' };
  }
  const labels: JsonObject = pod.metadata.labels ?? {};
  const own = [...budgets].filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      selects(objectField({ spec }, 'spec').selector, labels),
  );
  const [budget] = own;
  if (budget === undefined) return { kind: 'allowed' };
  if (own.length > 1) {
    const text = 'This pod has more than one PodDisruptionBudget, which the eviction subresource';
    return refused(statusError('InternalError', `${text} does not support.`));
  }
  return decideWithin(budget, pod);
}

function decideWithin(budget: KubeObject, pod: KubeObject): EvictionDecision {
  const status = objectField(budget, 'status');
  const healthy = numberField(status, 'currentHealthy');
  const desired = numberField(status, 'desiredHealthy');
  if (!isReady(pod)) {
    // KEP-3017: a Pod that serves nobody is no loss, unless all others are needed too.
    const always = textField(objectField(budget, 'spec'), 'unhealthyPodEvictionPolicy');
    const isSpared = desired > 0 && healthy >= desired;
    if (always === 'AlwaysAllow' || isSpared) return { kind: 'allowed' };
  }
  const { name, generation = 0 } = budget.metadata;
  if (numberField(status, 'observedGeneration') < generation) {
    const text = `The disruption budget ${name} is still being processed by the server.`;
    return tooMany(text, { retryAfterSeconds });
  }
  if (numberField(status, 'disruptionsAllowed') > 0) return { kind: 'counted', budget };
  return tooMany(`The disruption budget ${name} ${whyNot(status, { healthy, desired })}`);
}

function whyNot(
  status: JsonObject,
  { healthy, desired }: { readonly healthy: number; readonly desired: number },
): string {
  const conditions = listField(status, 'conditions');
  const condition = conditions.find(({ type }) => type === 'DisruptionAllowed') ?? {};
  const message = textField(condition, 'message');
  const denied = 'does not allow evicting pods currently';
  // What could not be counted is not to be trusted.
  if (condition.reason === 'SyncFailed') return `${denied} because it failed sync: ${message}`;
  if (healthy <= desired) return `needs ${desired} healthy pods and has ${healthy} currently`;
  return message === '' ? denied : `${denied} (${textField(condition, 'reason')}): ${message}`;
}

// Without a time to wait a client decides by itself, and kubectl says what it waits for.
function tooMany(
  why: string,
  wait: { readonly retryAfterSeconds?: number } = {},
): EvictionDecision {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: 'DisruptionBudget', message: why }];
  return refused(statusError('TooManyRequests', text, { causes, ...wait }));
}

function refused(error: Error): EvictionDecision {
  return { kind: 'refused', error };
}

function isReady(pod: KubeObject): boolean {
  const conditions = listField(objectField(pod, 'status'), 'conditions');
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** The status of the budget after one of its Pods was let go. */
export function countEviction(budget: KubeObject, pod: string, time: string): JsonObject {
  const status = objectField(budget, 'status');
  const disruptionsAllowed = numberField(status, 'disruptionsAllowed') - 1;
  return {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...objectField(status, 'disruptedPods'), [pod]: time },
    ...(disruptionsAllowed > 0 ? {} : { conditions: exhausted(status, time) }),
  };
}

function exhausted(status: JsonObject, time: string): readonly JsonObject[] {
  const others = listField(status, 'conditions').filter(({ type }) => type !== 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    observedGeneration: numberField(status, 'observedGeneration'),
    lastTransitionTime: time,
  };
  return [...others, condition];
}
