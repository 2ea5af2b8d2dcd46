import type { Obstacle, ObstacleReason } from '../executor.ts';
import { clusterLimits } from './limits.ts';
import { findPodTrouble, isRunning, type TroubledPod } from './pod-trouble.ts';

/** What is known of a Deployment that should bring Pods. */
export interface ObstacleQuestion {
  /** Whether it is a Revision's own: then its author can mend what is asked of Pods. */
  readonly isOwn: boolean;
  /** Why the API does not take it; `undefined`: it does. */
  readonly refusal?: string | undefined;
  /** Why no Pods are made for it (the condition ReplicaFailure); `undefined`: they are. */
  readonly failedCreate?: string | undefined;
  /** Its Pods that have not connected yet, oldest first, without those that are to end. */
  readonly pods: readonly AwaitedPod[];
}

/** A Pod that has not connected yet. */
export interface AwaitedPod {
  readonly pod: TroubledPod;
  /** For how long it has been seen, by one clock. */
  readonly forMs: number;
  /** What Events have last said against it. */
  readonly complaint?: Complaint | undefined;
}

/** A Warning about a Pod. */
export interface Complaint {
  readonly reason: string;
  readonly message: string;
}

/**
 * What keeps Pods of a Deployment from coming, and what to do about it; `undefined`: nothing that
 * is known. What the API, scheduler and kubelet say now, so it clears by itself once it is mended.
 */
export function planObstacle(question: ObstacleQuestion): Obstacle | undefined {
  const { isOwn, refusal, failedCreate } = question;
  const found =
    refusal === undefined
      ? (findTrouble(question.pods) ?? foundCreate(failedCreate))
      : { reason: 'FailedCreate' as const, detail: refusal };
  if (found === undefined) return undefined;
  const { reason, detail } = found;
  const { what, own, pool } = texts[reason];
  const text = `${what}: ${detail.replace(/\.$/, '')}. ${isOwn ? own : pool}`;
  return { reason, message: text };
}

interface Found {
  readonly reason: ObstacleReason;
  readonly detail: string;
}

function foundCreate(detail: string | undefined): Found | undefined {
  return detail === undefined ? undefined : { reason: 'FailedCreate', detail };
}

function findTrouble(pods: readonly AwaitedPod[]): Found | undefined {
  const newest = pods.at(-1);
  for (const awaited of pods) {
    const { reason, message, isOver } = findPodTrouble(awaited.pod);
    // Those that have failed stay for a while; what counts then is the one that follows.
    if (isOver && awaited !== newest) continue;
    if (reason !== undefined) return { reason, detail: message ?? 'no reason is given' };
    const slow = findDelay(awaited);
    if (slow !== undefined) return slow;
  }
  return undefined;
}

/** What the status of a Pod does not tell. */
function findDelay({ pod, forMs, complaint }: AwaitedPod): Found | undefined {
  if (forMs < clusterLimits.slowStartMs) return undefined;
  if (isRunning(pod)) {
    const { name, namespace } = pod.metadata;
    const detail = `Pod ${namespace}/${name} runs, and has said nothing`;
    return { reason: 'RunnerNotConnected', detail };
  }
  const reason = complaint === undefined ? undefined : complaintReasons[complaint.reason];
  return complaint === undefined || reason === undefined
    ? undefined
    : { reason, detail: `${complaint.reason}: ${complaint.message}` };
}

/** Reasons of Events of kubelets (pkg/kubelet/events) and of the attach-detach controller. */
const complaintReasons: Readonly<Record<string, ObstacleReason>> = {
  FailedMount: 'FailedMount',
  FailedAttachVolume: 'FailedMount',
  FailedMapVolume: 'FailedMount',
  FailedCreatePodSandBox: 'FailedCreatePodSandBox',
  NetworkNotReady: 'FailedCreatePodSandBox',
  FailedCreatePodContainer: 'CreateContainerError',
};

interface Texts {
  /** What it means, before what was found. */
  readonly what: string;
  /** What the author of a Function with Pods of its own can do. */
  readonly own: string;
  /** What can be done about the warm Pods of a pool. */
  readonly pool: string;
}

const operators = 'It takes who runs the cluster: kubectl describe pod shows more';

const texts: Readonly<Record<ObstacleReason, Texts>> = {
  Unschedulable: {
    what: 'No node takes its Pod',
    own: 'Ask for less in spec.resources, look at spec.pod, or add nodes',
    pool: 'Make room for warm Pods, or add nodes',
  },
  ImagePullBackOff: {
    what: 'Its image cannot be pulled',
    own:
      'Look at spec.imageOverride and spec.pod.imagePullSecrets, and, for a stock image, at the ' +
      'value registry of the installation',
    pool: 'Let nodes reach the registry, or name a mirror in the value registry of the installation',
  },
  CreateContainerError: {
    what: 'Its container cannot be made',
    own: 'Look at what spec says of Pods; kubectl describe pod shows more',
    pool: operators,
  },
  CrashLoopBackOff: {
    what: 'Its Pod ends before it is given code',
    own: 'An image in spec.imageOverride has to have the program of the runtime on its path',
    pool: 'Look at the log of the Pod: kubectl logs --previous',
  },
  FailedMount: {
    what: 'What its Pod mounts is not there',
    own: 'Make the Secret or ConfigMap that is missing; the kubelet tries again by itself',
    pool: operators,
  },
  FailedCreatePodSandBox: {
    what: 'Its Pod gets no network',
    own: operators,
    pool: operators,
  },
  FailedCreate: {
    what: 'The API refuses its Pods',
    own: 'Change what it names, such as a quota of the namespace; it is tried again by itself',
    pool: 'Change what it names, such as a quota of the namespace; it is tried again by itself',
  },
  PodFailed: {
    what: 'Its Pod was ended by its node',
    own: 'Another one follows; look at the room on nodes, and at spec.resources',
    pool: 'Another one follows; look at the room on nodes',
  },
  RunnerNotConnected: {
    what: 'Its Pod does not reach the controller',
    own:
      'NetworkPolicies have to let it reach port 8443 of the controller, and DNS; its log says ' +
      'what it lacks',
    pool:
      'NetworkPolicies have to let it reach port 8443 of the controller, and DNS; its log says ' +
      'what it lacks',
  },
};
