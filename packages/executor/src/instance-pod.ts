import { constants } from 'node:os';
import type { JsonObject } from '@fnlet/base';
import type { LoadFailure } from '@fnlet/invocation';
import { type KubeObject, type ResourceType, toKubeTime } from '@fnlet/machinery';
import type { Instance, InstanceExit, InstanceResources } from './executor.ts';

/** core/v1 Pod. */
export const podType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};

/** The Pods that mirror Instances. */
export const podSelector = 'app.kubernetes.io/managed-by=fnlet,fnlet.dev/revision';

/** The one container of such a Pod. */
export const instanceContainer = 'function';
const containerPort = 8080;

/** What a Pod says about its Instance for as long as it lives: metadata and spec. */
export function instancePod(
  instance: Pick<Instance, 'id' | 'revision'>,
  nodeName: string,
): KubeObject {
  const { revision } = instance;
  const { resources, serviceAccountName } = revision;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: instance.id,
      namespace: revision.namespace,
      labels: {
        ...revision.labels,
        'app.kubernetes.io/managed-by': 'fnlet',
        'app.kubernetes.io/name': revision.function,
        'fnlet.dev/function': revision.function,
        'fnlet.dev/revision': revision.revision,
      },
      annotations: revision.annotations,
      ownerReferences: [revision.owner],
    },
    spec: {
      nodeName,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: graceSeconds(instance),
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
      automountServiceAccountToken: serviceAccountName !== undefined,
      enableServiceLinks: false,
      // No environment: it may hold secrets, and everybody who may read Pods would read them.
      containers: [
        {
          name: instanceContainer,
          image: imageOf(instance),
          ports: [{ name: 'http', containerPort, protocol: 'TCP' }],
          ...(resources === undefined ? {} : { resources: requirements(resources) }),
        },
      ],
    },
  };
}

/** Why a container for debugging does not run in such a Pod. */
export const noDebugging: string =
  'the Pod of a Function shows an Instance, which has no containers to debug; ' +
  'use kubectl exec and kubectl logs, or kubectl debug --copy-to';

/** A container for debugging that somebody has put into a Pod. */
export interface DebugContainer {
  readonly name: string;
  readonly image: string;
}

/**
 * What the Instance is doing, as core/v1 PodStatus, in the words of a kubelet. `debugging` are the
 * containers that were put into its Pod since: there is none for them to share anything with, so
 * each has ended, and says why. `kubectl debug` would wait for ever for one that only waits.
 */
export function instancePodStatus(
  instance: Instance,
  debugging: readonly DebugContainer[] = [],
): JsonObject {
  const { createdAtMs, readyAtMs, address, lastExit, pid, restarts } = instance;
  const ready = instance.phase === 'ready';
  const created = toKubeTime(createdAtMs);
  const changed = toKubeTime((ready ? readyAtMs : lastExit?.finishedAtMs) ?? createdAtMs);
  const unready = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${instanceContainer}]`,
  };
  const readiness = { ...(ready ? { status: 'True' } : unready), lastTransitionTime: changed };
  const settled = { status: 'True', lastTransitionTime: created };
  return {
    phase: podPhase(instance),
    conditions: [
      { type: 'PodScheduled', ...settled },
      { type: 'Initialized', ...settled },
      { type: 'ContainersReady', ...readiness },
      { type: 'Ready', ...readiness },
    ],
    hostIP: '127.0.0.1',
    ...(address === undefined ? {} : { podIP: address.host, podIPs: [{ ip: address.host }] }),
    startTime: created,
    qosClass: qosClass(instance.revision.resources),
    containerStatuses: [
      {
        name: instanceContainer,
        image: imageOf(instance),
        imageID: '',
        ready,
        started: ready,
        restartCount: restarts,
        state: containerState(instance),
        ...(lastExit === undefined ? {} : { lastState: { terminated: terminated(lastExit) } }),
        ...(pid === undefined ? {} : { containerID: `fnlet://${pid}` }),
      },
    ],
    ...(debugging.length === 0
      ? {}
      : { ephemeralContainerStatuses: debugging.map((container) => refused(container, created)) }),
  };
}

// A kubelet's words for a container that its runtime refused to start.
function refused({ name, image }: DebugContainer, at: string): JsonObject {
  const times = { startedAt: at, finishedAt: at };
  const ended = { exitCode: 128, reason: 'StartError', message: noDebugging, ...times };
  return {
    ...{ name, image, imageID: '', ready: false, restartCount: 0 },
    state: { terminated: ended },
  };
}

function podPhase({ phase, address, lastExit }: Instance): string {
  if (phase === 'stopped') return 'Failed';
  return address === undefined && lastExit === undefined ? 'Pending' : 'Running';
}

function requirements({ requests = {}, limits = {} }: InstanceResources): JsonObject {
  return { requests, limits };
}

// core/v1 PodQOSClass, for Pods of one container.
function qosClass({ requests = {}, limits = {} }: InstanceResources = {}): string {
  const names = ['cpu', 'memory'] as const;
  if (names.every((name) => requests[name] === undefined && limits[name] === undefined)) {
    return 'BestEffort';
  }
  const isGuaranteed = names.every(
    (name) => limits[name] !== undefined && String(requests[name]) === String(limits[name]),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** How long the Instance may drain, in the whole seconds that Kubernetes counts in. */
export function graceSeconds(instance: Pick<Instance, 'revision'>): number {
  return Math.ceil(instance.revision.limits.drainMs / 1000);
}

function imageOf(instance: Pick<Instance, 'revision'>): string {
  return `fnlet/${instance.revision.runtime}`;
}

function containerState(instance: Instance): JsonObject {
  const { phase, address, lastExit, readyAtMs, createdAtMs } = instance;
  if (phase === 'stopped' && lastExit !== undefined) return { terminated: terminated(lastExit) };
  if (phase === 'backingOff') {
    const why = lastExit?.failure;
    const message = why === undefined ? 'back-off restarting failed function' : describe(why);
    return { waiting: { reason: 'CrashLoopBackOff', message } };
  }
  if (address === undefined) return { waiting: { reason: 'ContainerCreating' } };
  const startedAtMs = readyAtMs ?? lastExit?.finishedAtMs ?? createdAtMs;
  return { running: { startedAt: toKubeTime(startedAtMs) } };
}

function terminated(exit: InstanceExit): JsonObject {
  const { code, signal, failure, outOfMemory } = exit;
  return {
    exitCode: code ?? 128 + signalNumber(signal),
    ...(signal === null ? {} : { signal: signalNumber(signal) }),
    reason: outOfMemory === true ? 'OOMKilled' : code === 0 ? 'Completed' : 'Error',
    ...(failure === undefined ? {} : { message: describe(failure) }),
    startedAt: toKubeTime(exit.startedAtMs),
    finishedAt: toKubeTime(exit.finishedAtMs),
  };
}

function describe({ file, line, message }: LoadFailure): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

// Where no process ever ran there was no signal: 128 as a container that cannot be started.
function signalNumber(signal: string | null): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}
