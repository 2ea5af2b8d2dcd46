import { type ConditionUpdate, findCondition } from '@fnlet/machinery';
import type { Deployment, DeploymentCondition, DeploymentStatus } from './deployment.ts';
import type { RollingBounds } from './rolling-bounds.ts';

/** What a Deployment's conditions are made of. */
export interface ConditionFacts {
  readonly deployment: Deployment;
  /** Its numbers as they are now. */
  readonly counts: Required<
    Pick<DeploymentStatus, 'replicas' | 'updatedReplicas' | 'availableReplicas'>
  >;
  readonly bounds: RollingBounds;
  /** Name of the ReplicaSet of its present template. */
  readonly current: string | undefined;
  /** It was made, or found again, right now. */
  readonly appearance: 'created' | 'found' | undefined;
  readonly nowMs: number;
}

/** What is to be said, and when it has to be said anew without any other cause. */
export interface ConditionPlan {
  readonly updates: readonly ConditionUpdate[];
  readonly lookAtMs: number | undefined;
}

/** The conditions of a Deployment, with Kubernetes' reasons and words (deployment/progress.go). */
export function planDeploymentConditions(facts: ConditionFacts): ConditionPlan {
  const { counts, bounds } = facts;
  const isAvailable = counts.availableReplicas >= bounds.desired - bounds.maxUnavailable;
  const available: ConditionUpdate = isAvailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const progress = planProgress(facts);
  const updates = progress.update === undefined ? [available] : [available, progress.update];
  return { updates, lookAtMs: progress.lookAtMs };
}

interface ProgressPlan {
  readonly update: ConditionUpdate | undefined;
  readonly lookAtMs: number | undefined;
}

function planProgress(facts: ConditionFacts): ProgressPlan {
  const { deployment, current, appearance, nowMs } = facts;
  const { paused = false, progressDeadlineSeconds = 600 } = deployment.spec;
  const known = progressing(deployment);
  const settled = (update: ConditionUpdate | undefined): ProgressPlan => ({
    update,
    lookAtMs: undefined,
  });
  if (paused) return settled(say('Unknown', 'DeploymentPaused', 'Deployment is paused'));
  if (known?.reason === 'DeploymentPaused') {
    return settled(say('Unknown', 'DeploymentResumed', 'Deployment is resumed'));
  }
  const name = `ReplicaSet "${current ?? deployment.metadata.name}"`;
  if (current !== undefined && isComplete(facts)) {
    const text = `${name} has successfully progressed.`;
    return settled(say('True', 'NewReplicaSetAvailable', text));
  }
  const deadlineMs = progressDeadlineSeconds * 1000;
  const lookAtMs = nowMs + deadlineMs;
  if (appearance === 'created') {
    const text = `Created new replica set "${current}"`;
    return { update: say('True', 'NewReplicaSetCreated', text), lookAtMs };
  }
  if (appearance === 'found') {
    const text = `Found new replica set "${current}"`;
    return { update: say('True', 'FoundNewReplicaSet', text), lookAtMs };
  }
  if (known === undefined || hasProgressed(facts)) {
    return { update: say('True', 'ReplicaSetUpdated', `${name} is progressing.`), lookAtMs };
  }
  // A rollout that was complete and lost a replica since is not late.
  if (known.reason === 'NewReplicaSetAvailable' || known.reason === 'ProgressDeadlineExceeded') {
    return settled(undefined);
  }
  const sinceMs = Date.parse(known.lastUpdateTime ?? known.lastTransitionTime ?? '') || nowMs;
  const dueMs = sinceMs + deadlineMs;
  if (nowMs < dueMs) return { update: undefined, lookAtMs: dueMs };
  return settled(say('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`));
}

function say(status: ConditionUpdate['status'], reason: string, message: string): ConditionUpdate {
  return { type: 'Progressing', status, reason, message };
}

function isComplete({ counts, bounds }: ConditionFacts): boolean {
  const { desired } = bounds;
  const { updatedReplicas, replicas, availableReplicas } = counts;
  return [updatedReplicas, replicas, availableReplicas].every((count) => count === desired);
}

/** Whether it is nearer to its end than when it was looked at last. */
function hasProgressed({ deployment, counts }: ConditionFacts): boolean {
  const { status = {} } = deployment;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  return (
    counts.updatedReplicas > updatedReplicas ||
    counts.replicas - counts.updatedReplicas < replicas - updatedReplicas ||
    counts.availableReplicas > availableReplicas
  );
}

function progressing({ status }: Deployment): DeploymentCondition | undefined {
  return findCondition(status?.conditions, 'Progressing');
}

/**
 * The conditions with what is said now: a Deployment's conditions tell when they were last said,
 * too, which its progress deadline counts from.
 */
export function mergeDeploymentConditions(
  current: readonly DeploymentCondition[],
  updates: readonly ConditionUpdate[],
  now: string,
): readonly DeploymentCondition[] {
  const byType = new Map(current.map((condition) => [condition.type, condition]));
  for (const update of updates) {
    const before = byType.get(update.type);
    const isSame = before?.status === update.status && before.reason === update.reason;
    // "is progressing" is said again with every bit of progress, and each time the clock starts anew.
    if (isSame && update.reason !== 'ReplicaSetUpdated' && before.message === update.message) {
      continue;
    }
    const lastTransitionTime =
      before?.status === update.status ? (before.lastTransitionTime ?? now) : now;
    byType.set(update.type, { ...update, lastUpdateTime: now, lastTransitionTime });
  }
  return [...byType.values()];
}
