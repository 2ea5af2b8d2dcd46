import type { Compatibility, InvocationLimits, LoadFailure } from '@fnlet/invocation';
import type { OwnerReference, ResourceRequirements, ResourceSelector } from '@fnlet/machinery';
import type { InstanceMount } from './mount-view.ts';

/** A Revision whose artifact is prepared, with everything that starting an Instance of it takes. */
export interface RunnableRevision {
  /** `namespace/name` of the Revision. */
  readonly id: string;
  readonly namespace: string;
  /** Name of the Function. */
  readonly function: string;
  /** Name of the Revision. */
  readonly revision: string;
  /** As the Function names it. */
  readonly runtime: string;
  /** Name of the runtime that this means. Default: the same name. */
  readonly runsOn?: string;
  readonly handler: string;
  /** The system whose ways the function keeps; absent: Fnlet's own. */
  readonly compatibility?: Compatibility;
  /** Directory made by the ArtifactStore. */
  readonly sourceDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Variables that each Instance has a value of its own for; they win over `env`. */
  readonly variables?: readonly InstanceVariable[];
  /** Directories of files that it sees elsewhere. */
  readonly mounts?: readonly InstanceMount[];
  readonly limits: InvocationLimits;
  readonly resources?: InstanceResources;
  /** The ServiceAccount that it acts as; absent: none. */
  readonly serviceAccountName?: string;
  /** What its Instances ask for where they are Pods of a cluster. */
  readonly pod?: PodWishes;
  /** Written on the Pods that mirror its Instances. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
}

/** What a Revision asks of its Pods; see the fields of the same names of a Function. */
export interface PodWishes {
  readonly executor?: 'auto' | 'pool' | 'deployment' | undefined;
  readonly development?: boolean | undefined;
  readonly imageOverride?: string | undefined;
  readonly mounts?: readonly PodMount[] | undefined;
  /** Fields of core/v1 PodSpec, as they are, but for its security context. */
  readonly settings?: object | undefined;
  readonly user?: PodUser | undefined;
}

/** A Secret or ConfigMap as a directory of files: a volume of a Pod. */
export interface PodMount {
  readonly secret?: string;
  readonly configMap?: string;
  readonly path: string;
  readonly items?: readonly object[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

/** Who the processes of a Pod are (core/v1 PodSecurityContext). */
export interface PodUser {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
}

/** A variable whose value differs between Instances (core/v1 EnvVarSource). */
export type InstanceVariable =
  | { readonly name: string; readonly fieldPath: string }
  | { readonly name: string; readonly resource: ResourceSelector };

/** What an Instance asks for and may take, with everything that it starts. */
export interface InstanceResources extends ResourceRequirements {
  /** Cores that it may use at most. */
  readonly cpuCoresMax?: number;
  /** Memory that it may use at most. */
  readonly memoryBytesMax?: number;
}

/** Where an Instance answers HTTP/1.1. */
export interface InstanceAddress {
  /** Of a process of this machine. */
  readonly socketPath?: string;
  /**
   * Of a process: a loopback address of its own where the platform has them, else 127.0.0.1. Of a
   * Pod: the Pod's.
   */
  readonly host: string;
  readonly port: number;
}

export type InstancePhase = 'starting' | 'ready' | 'backingOff' | 'draining' | 'stopped';

/** How a process of an Instance ended. */
export interface InstanceExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** It used more memory than it may. */
  readonly outOfMemory?: boolean;
  /** Set when it ended because its code could not be loaded. */
  readonly failure?: LoadFailure;
  /** The last lines of its output, where it wrote any. */
  readonly said?: string;
}

/** Why Pods do not start, in the words that Kubernetes has for it. */
export type ObstacleReason =
  /** No node has room, or is one that it may run on. */
  | 'Unschedulable'
  /** The image is not there, or the registry does not give it. */
  | 'ImagePullBackOff'
  /** A container cannot be made or started. */
  | 'CreateContainerError'
  /** A container ends by itself before it serves. */
  | 'CrashLoopBackOff'
  /** A volume cannot be had. */
  | 'FailedMount'
  /** Its network cannot be made. */
  | 'FailedCreatePodSandBox'
  /** The API refuses the Pods, or what makes them: a quota, admission, rights. */
  | 'FailedCreate'
  /** It was ended, or not taken, by its node. */
  | 'PodFailed'
  /** It runs, and does not reach the controller. */
  | 'RunnerNotConnected';

/** What keeps an Instance from starting, for as long as it does. It starts once that is mended. */
export interface Obstacle {
  readonly reason: ObstacleReason;
  /** What was found, and what can be done about it, without a full stop. */
  readonly message: string;
}

/** One running copy of a Revision. It keeps its name over restarts of its process. */
export interface Instance {
  /** Name of its Pod: `<revision>-<five random characters>`. */
  readonly id: string;
  readonly revision: RunnableRevision;
  readonly phase: InstancePhase;
  /** Where it answers; `undefined` before a Runner was assigned and between restarts. */
  readonly address: InstanceAddress | undefined;
  readonly pid: number | undefined;
  readonly createdAtMs: number;
  readonly readyAtMs: number | undefined;
  readonly restarts: number;
  readonly lastExit: InstanceExit | undefined;
  /** When it is started again, while it is backing off. */
  readonly restartAtMs?: number | undefined;
  /** Why nothing comes that could run it, while it waits for that. */
  readonly obstacle?: Obstacle | undefined;
  /** Whether calls that come while it starts wait there for its code. Default: they do. */
  readonly holdsCalls?: boolean | undefined;
}

/** Whether an Instance that has stopped did not run at last: it has ended, and was not ready again. */
export function hasFailed({ phase, lastExit, readyAtMs }: Instance): boolean {
  return phase === 'stopped' && lastExit !== undefined && readyAtMs === undefined;
}

/** Something changed about an Instance: the state after the change. */
export interface InstanceEvent {
  /**
   * `obstructed`: what keeps it from starting is another thing now, or nothing any more;
   * `expecting`: calls may be sent to it now, although it has not loaded its code yet.
   */
  readonly kind:
    | 'starting'
    | 'obstructed'
    | 'expecting'
    | 'ready'
    | 'crashed'
    | 'loadFailed'
    | 'draining'
    | 'stopped';
  readonly instance: Instance;
}

export interface EnsureOptions {
  /**
   * Nobody waits for these Instances: they only show whether the Revision loads. Where Runners are
   * scarce, calls that wait are served first. Default false.
   */
  readonly trial?: boolean;
}

/**
 * Brings Instances to life and keeps the wanted number of them. Level-triggered: `ensure` says what
 * is wanted, events say what became of it.
 *
 * A runtime that was not prepared, or that cannot be started, is told as `loadFailed`.
 */
export interface Executor extends AsyncDisposable {
  /**
   * From now on `count` Instances of this Revision are wanted. Takes effect in the same tick; going
   * down drains those that are not ready first, then the youngest. Calling it again with the same
   * numbers does nothing, nor does calling it after `close`.
   */
  ensure(revision: RunnableRevision, count: number, options?: EnsureOptions): void;
  /** Instances of one Revision (by id) or of all, stopped ones excluded. */
  instances(revisionId?: string): readonly Instance[];
  /**
   * How many Instances of a Revision an earlier owner has left, for this one to take over. Default:
   * none outlives its owner.
   */
  inherited?(revisionId: string): number;
  /** Ends one Instance as if its Pod was deleted: drained, then replaced if still wanted. */
  evict(instanceId: string, graceMs: number): void;
  /** Calls `listener` after every change, in order, synchronously; returns the way to stop that. */
  subscribe(listener: (event: InstanceEvent) => void): () => void;
  /** Drains everything for at most `graceMs`, then kills what is left. */
  close(graceMs?: number): Promise<void>;
}
