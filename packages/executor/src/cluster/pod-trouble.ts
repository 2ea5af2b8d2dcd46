import type { KubeObject } from '@fnlet/machinery';
import type { ObstacleReason } from '../executor.ts';
import type { RunnerExit } from '../runner.ts';
import { runnerContainer } from './plan-runner-pod.ts';

/** The part of a Pod that says why it does not run. */
export interface TroubledPod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerTrouble[];
    readonly initContainerStatuses?: readonly ContainerTrouble[];
  };
}

interface ContainerTrouble {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: ContainerEnd;
  };
  readonly lastState?: { readonly terminated?: ContainerEnd };
}

interface ContainerEnd {
  readonly reason?: string;
  readonly exitCode?: number;
  /** The last lines of its log, where it asks for that (terminationMessagePolicy). */
  readonly message?: string;
}

/** What keeps a Pod from running. */
export interface PodTrouble {
  /** `undefined`: nothing is known. */
  readonly reason: ObstacleReason | undefined;
  /** In the words of scheduler and kubelet; `undefined`: nothing is known. */
  readonly message: string | undefined;
  /** Nothing more will come of it. */
  readonly isOver: boolean;
}

// A container waits for these as every one does.
const usual: readonly (string | undefined)[] = [undefined, 'ContainerCreating', 'PodInitializing'];

/** What kubelets say of images (pkg/kubelet/images, types.go), which is one thing to mend. */
const imageReasons: readonly string[] = [
  ...['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'],
  ...['ImageInspectError', 'RegistryUnavailable', 'SignatureValidationFailed'],
];

const crashing = 'CrashLoopBackOff';

/** The end of what a container has said that is told on. */
const saidCharactersMax = 500;

/** Why a Pod does not run, as its status has it: not placed, no image, killed. */
export function findPodTrouble(pod: TroubledPod): PodTrouble {
  const { phase, reason: why, message, ...status } = pod.status ?? {};
  const over = isOver(pod);
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ended = all.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  const reason = 'PodFailed';
  if (phase === 'Failed' && ended !== undefined) {
    return { reason, message: describeEnd(ended.name, ended.state?.terminated), isOver: over };
  }
  if (over) return { reason, message: joined([why, message]), isOver: over };
  const waiting = all.find(({ state }) => !usual.includes(state?.waiting?.reason));
  if (waiting !== undefined) return { ...describeWaiting(waiting), isOver: over };
  const placed = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (placed?.status !== 'False') return { reason: undefined, message: undefined, isOver: over };
  return { reason: 'Unschedulable', message: placed.message, isOver: over };
}

/** Whether all containers of a Pod run. */
export function isRunning({ status = {} }: TroubledPod): boolean {
  const { phase, containerStatuses = [] } = status;
  const run = containerStatuses.every(({ state }) => state?.running !== undefined);
  return phase === 'Running' && containerStatuses.length > 0 && run;
}

/** Whether its kubelet says that a Pod serves. */
export function isReady({ status = {} }: TroubledPod): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True';
}

/** Whether nothing runs in a Pod, and nothing will: its node, or its processes, have ended it. */
export function isOver({ status = {} }: TroubledPod): boolean {
  return status.phase === 'Failed' || status.phase === 'Succeeded';
}

/** How the container of a Runner has ended that does not run now; `undefined`: it may run. */
export function findExit(pod: TroubledPod): RunnerExit | undefined {
  const { containerStatuses = [], reason, message } = pod.status ?? {};
  // There may be others, which an admission webhook has put into the Pod.
  const container = containerStatuses.find(({ name }) => name === runnerContainer);
  const { state = {}, lastState = {} } = container ?? {};
  const isWaiting = state.waiting?.reason === crashing;
  const end = state.terminated ?? (isWaiting ? lastState.terminated : undefined);
  if (end === undefined) {
    // A node that shuts down may not have had the time to say how the container ended.
    const said = joined([reason, message]);
    const exit = { code: null, signal: null, ...(said === undefined ? {} : { said }) };
    return isOver(pod) ? exit : undefined;
  }
  const outOfMemory = end.reason === 'OOMKilled';
  const said = lastSaid(end);
  return {
    ...{ code: end.exitCode ?? null, signal: null },
    ...(outOfMemory ? { outOfMemory } : {}),
    ...(said === '' ? {} : { said }),
  };
}

/** Whether a node has taken the Pod. */
export function isPlaced({ status = {} }: TroubledPod): boolean {
  const placed = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return placed?.status === 'True';
}

function describeWaiting({
  name,
  state,
  lastState,
}: ContainerTrouble): Pick<PodTrouble, 'reason' | 'message'> {
  const { reason = '', message } = state?.waiting ?? {};
  const end = lastState?.terminated;
  if (reason === crashing && end !== undefined) {
    // How long it waits differs from try to try, and helps nobody.
    return { reason: crashing, message: describeEnd(name, end) };
  }
  const text = joined([reason, message]);
  if (reason === crashing) return { reason: crashing, message: text };
  const isImage = imageReasons.includes(reason);
  return { reason: isImage ? 'ImagePullBackOff' : 'CreateContainerError', message: text };
}

function lastSaid({ message = '' }: ContainerEnd): string {
  return message.trim().slice(-saidCharactersMax);
}

function describeEnd(name: string, end: ContainerEnd = {}) {
  const { reason = 'Error', exitCode } = end;
  const said = lastSaid(end);
  const how = `its container ${name} ended with ${exitCode} (${reason})`;
  return said === '' ? how : `${how}. It said last:\n${said}`;
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.filter(Boolean).join(': ') || undefined;
}
