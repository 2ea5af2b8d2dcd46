import type { PodObject } from './connection.ts';

/** The container of an Instance in its Pod; others were added by somebody else. */
const functionContainer = 'function';

/** What is to be printed of a Pod's log. */
export type PodLogPlan =
  | {
      readonly kind: 'read';
      /** `undefined`: the Pod has only one. */
      readonly container: string | undefined;
    }
  | { readonly kind: 'none'; readonly why: string };

/**
 * Whether a Pod has a log, and in which container. What Kubernetes keeps of a container is what it
 * writes now and, after a restart, the run before; what a Pod that is gone has written is gone.
 */
export function planPodLog(
  pod: PodObject,
  { previous }: { readonly previous: boolean },
): PodLogPlan {
  const containers = containersOf(pod);
  const own = containers.find((name) => name === functionContainer);
  const container = containers.length > 1 ? (own ?? containers[0]) : undefined;
  const status = statusOf(pod, container);
  if (previous) {
    const hasRun = status?.lastState?.terminated !== undefined || (status?.restartCount ?? 0) > 0;
    return hasRun
      ? { kind: 'read', container }
      : { kind: 'none', why: 'it was not restarted, so there is no run before' };
  }
  const isOver = ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
  if (status?.state?.waiting !== undefined && (status.restartCount ?? 0) === 0 && !isOver) {
    const { reason = 'Waiting' } = status.state.waiting;
    return { kind: 'none', why: `it has not started: ${reason}` };
  }
  if (status === undefined && pod.status?.phase === 'Pending') {
    const found = pod.status.conditions?.find(({ status: holds }) => holds === 'False');
    const why = found?.message ?? found?.reason ?? 'Pending';
    return { kind: 'none', why: `it has not started: ${why}` };
  }
  return { kind: 'read', container };
}

/** How often what runs in a Pod was started anew. */
export function restartsOf(pod: PodObject): number {
  return (
    (statusOf(pod, functionContainer) ?? pod.status?.containerStatuses?.[0])?.restartCount ?? 0
  );
}

type ContainerStatus = NonNullable<NonNullable<PodObject['status']>['containerStatuses']>[number];

function statusOf(pod: PodObject, container: string | undefined): ContainerStatus | undefined {
  const { containerStatuses = [] } = pod.status ?? {};
  if (container === undefined) return containerStatuses[0];
  return containerStatuses.find(({ name }) => name === container);
}

function containersOf({ spec }: PodObject): readonly string[] {
  return (spec?.containers ?? []).map(({ name }) => name);
}
