import type { Condition, ConditionUpdate } from '@fnlet/machinery';
import { mergeConditions, toKubeTime } from '@fnlet/machinery';
import { type Container, isSidecar } from './container.ts';
import { type ContainerRecord, hasSucceeded } from './container-record.ts';
import { isInitialized, podPhase } from './plan-pod.ts';
import type { ContainerState, ContainerStatus, Pod, PodPhase, PodStatus } from './pod.ts';

/** What is said about a Pod besides its containers. */
export interface PodFacts {
  readonly records: ReadonlyMap<string, ContainerRecord>;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Why it ended before its containers did, such as `DeadlineExceeded`. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
  /** It was deleted, and everything has ended. */
  readonly isGone?: boolean;
}

/** The status of a Pod, in the words of a kubelet. */
export function podStatus(pod: Pod, facts: PodFacts): PodStatus {
  const { spec, metadata } = pod;
  const { records, podIP, hostIP, startedAtMs, nowMs, failure } = facts;
  const phase = finalPhase(pod, facts);
  const statuses = (containers: readonly Container[]): ContainerStatus[] =>
    containers.flatMap((container) => {
      const record = records.get(container.name);
      return record === undefined ? [] : [containerStatus(container, record)];
    });
  const init = spec.initContainers ?? [];
  const debugging = statuses(spec.ephemeralContainers ?? []).map(unprobed);
  const now = toKubeTime(nowMs);
  const { generation } = metadata;
  const known = generation === undefined ? {} : { observedGeneration: generation };
  const updates = podConditions(pod, records, phase).map((update) => ({ ...known, ...update }));
  return {
    phase,
    ...known,
    ...(failure === undefined ? {} : failure),
    conditions: orderConditions(mergeConditions(pod.status?.conditions ?? [], updates, now)),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: toKubeTime(startedAtMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: statuses(init) }),
    containerStatuses: statuses(spec.containers),
    ...(debugging.length === 0 ? {} : { ephemeralContainerStatuses: debugging }),
  };
}

// What ended by a deletion ended as its exit codes say, whatever the restart policy.
function finalPhase({ spec }: Pod, { records, failure, isGone }: PodFacts): PodPhase {
  if (failure !== undefined) return 'Failed';
  const phase = podPhase(spec, records);
  if (isGone !== true || phase === 'Succeeded') return phase;
  const main = spec.containers.flatMap(({ name }) => records.get(name) ?? []);
  return main.every(hasSucceeded) ? 'Succeeded' : 'Failed';
}

function podConditions(
  { spec, status }: Pod,
  records: ReadonlyMap<string, ContainerRecord>,
  phase: PodPhase,
): readonly ConditionUpdate[] {
  const initialized = isInitialized(spec, records) || phase === 'Succeeded';
  const unready = [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers]
    .map(({ name }) => name)
    .filter((name) => records.get(name)?.ready !== true);
  const incomplete = (spec.initContainers ?? [])
    .map(({ name }) => name)
    .filter((name) => !isComplete(spec.initContainers, records.get(name)));
  const containersReady = readyCondition(phase, unready);
  const gate = (spec.readinessGates ?? []).find(({ conditionType }) =>
    (status?.conditions ?? []).every(
      ({ type, status: truth }) => type !== conditionType || truth !== 'True',
    ),
  );
  const gated = {
    status: 'False' as const,
    reason: 'ReadinessGatesNotReady',
    message: `the status of pod readiness gate "${gate?.conditionType}" is not "True"`,
  };
  const isGated = gate !== undefined && containersReady.status === 'True';
  return [
    { type: 'PodReadyToStartContainers', status: isEndPhase(phase) ? 'False' : 'True' },
    {
      type: 'Initialized',
      ...(initialized
        ? { status: 'True', ...(phase === 'Succeeded' ? { reason: 'PodCompleted' } : {}) }
        : {
            status: 'False',
            reason: 'ContainersNotInitialized',
            message: `containers with incomplete status: [${incomplete.join(' ')}]`,
          }),
    },
    { type: 'Ready', ...(isGated ? gated : containersReady) },
    { type: 'ContainersReady', ...containersReady },
    { type: 'PodScheduled', status: 'True' },
  ];
}

function isComplete(
  init: readonly Container[] | undefined,
  record: ContainerRecord | undefined,
): boolean {
  const container = init?.find(({ name }) => name === record?.name);
  if (record === undefined || container === undefined) return false;
  return isSidecar(container) ? record.started : hasSucceeded(record);
}

function readyCondition(
  phase: PodPhase,
  unready: readonly string[],
): Omit<ConditionUpdate, 'type'> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function isEndPhase(phase: PodPhase): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

const order = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
];

function orderConditions(conditions: readonly Condition[]): readonly Condition[] {
  const place = (type: string): number => (order.indexOf(type) + order.length + 1) % 100;
  return [...conditions].sort((a, b) => place(a.type) - place(b.type));
}

function containerStatus({ name, image }: Container, record: ContainerRecord): ContainerStatus {
  const { state, ended, runs, started, ready, imageId, containerId } = record;
  const isCurrent = state.kind === 'terminated';
  const shown: ContainerState =
    state.kind === 'running'
      ? { running: { startedAt: toKubeTime(state.startedAtMs) } }
      : state.kind === 'terminated'
        ? { ...(ended === undefined ? {} : { terminated: ended }) }
        : { waiting: { reason: state.reason, ...messageOf(state) } };
  return {
    name,
    image,
    imageID: imageId,
    ready,
    started,
    restartCount: Math.max(0, runs - 1),
    state: shown,
    lastState: ended === undefined || isCurrent ? {} : { terminated: ended },
    ...(containerId === undefined ? {} : { containerID: containerId }),
  };
}

// Nobody asks a container for debugging whether it has started, or can take traffic.
function unprobed({ started: _, ...status }: ContainerStatus): ContainerStatus {
  return { ...status, ready: false };
}

function messageOf({ message }: { readonly message?: string }): { readonly message?: string } {
  return message === undefined ? {} : { message };
}
