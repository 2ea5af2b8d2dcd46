/**
 * Finds out what keeps Pods of Deployments from coming, while any are awaited.
 *
 * I1. Where all Pods have connected, and the API refuses nothing, nothing is held, and no timer.
 * I2. What it tells is what is so now: it is taken back once it is mended.
 */
import { type Clock, errorMessage, type Logger, type Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ObjectKey, ResourceType } from '@fnlet/machinery';
import { type Condition, findCondition, formatObjectKey, type KubeObject } from '@fnlet/machinery';
import { type Controller, createController, type Result } from '@fnlet/reconcile';
import type { Obstacle } from '../executor.ts';
import { clusterLimits } from './limits.ts';
import { type AwaitedPod, type Complaint, planObstacle } from './plan-obstacle.ts';
import { findPodTrouble, isPlaced, isRunning, type TroubledPod } from './pod-trouble.ts';

/** A Deployment, as far as it says why it has no Pods. */
export interface TroubledDeployment extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface DeploymentObstaclesOptions {
  readonly client: Client;
  readonly deploymentOf: (key: ObjectKey) => TroubledDeployment | undefined;
  /** The Pods of a Deployment that the API shows. */
  readonly podsOf: (key: ObjectKey) => readonly TroubledPod[];
  /** Whether a Pod, by its uid, has reached the controller. */
  readonly isConnected: (uid: string) => boolean;
  /** Whether a Deployment is a Revision's own, rather than a pool's. */
  readonly isOwn: (key: ObjectKey) => boolean;
  /** This keeps Pods from coming now; `undefined`: nothing does any more. Must only take note. */
  readonly onObstacle: (key: ObjectKey, obstacle: Obstacle | undefined) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What is known of one Deployment that has something in its way, or Pods that are awaited. */
interface Lookout {
  refusal?: string | undefined;
  /** When each Pod was seen first, by its uid: clocks of others may be wrong. */
  readonly sinceMs: Map<string, number>;
  /** What was told last. */
  told?: Obstacle | undefined;
}

const eventType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

interface PodEvent extends KubeObject, Partial<Complaint> {
  readonly type?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

export class DeploymentObstacles {
  readonly #options: DeploymentObstaclesOptions;
  readonly #lookouts = new Map<string, Lookout>();
  readonly #controller: Controller;

  constructor(options: DeploymentObstaclesOptions) {
    this.#options = options;
    const { clock, random, logger } = options;
    this.#controller = createController({
      name: 'Pods that do not start',
      sources: [],
      reconcile: (key, { signal }) => this.#look(key, signal),
      concurrency: clusterLimits.obstacleLooks,
      ...{ clock, random, logger },
    });
  }

  /** Something about this Deployment or its Pods has changed. */
  look(key: ObjectKey): void {
    this.#controller.enqueue(key);
  }

  /** The API does not take this Deployment, in its words; `undefined`: it does. */
  refused(key: ObjectKey, why: string | undefined): void {
    const id = formatObjectKey(key);
    if (why === undefined && !this.#lookouts.has(id)) return;
    this.#lookoutOf(id).refusal = why;
    this.look(key);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#controller.run(signal);
  }

  async #look(key: ObjectKey, signal: AbortSignal): Promise<Result> {
    const id = formatObjectKey(key);
    const { podsOf, deploymentOf, isOwn, isConnected, onObstacle } = this.#options;
    const pods = podsOf(key).filter(
      ({ metadata: { uid = '', deletionTimestamp } }) =>
        deletionTimestamp === undefined && !isConnected(uid),
    );
    const failure = findCondition(deploymentOf(key)?.status?.conditions, 'ReplicaFailure');
    const failedCreate = failure?.status === 'True' ? (failure.message ?? '') : undefined;
    if (pods.length === 0 && failedCreate === undefined && !this.#lookouts.has(id)) return {};
    const lookout = this.#lookoutOf(id);
    const awaited = await this.#await(lookout, pods, signal);
    const { refusal, told } = lookout;
    const obstacle = planObstacle({ isOwn: isOwn(key), refusal, failedCreate, pods: awaited });
    lookout.told = obstacle;
    const isSame = told?.reason === obstacle?.reason && told?.message === obstacle?.message;
    if (!isSame) onObstacle(key, obstacle);
    if (obstacle === undefined && pods.length === 0) this.#lookouts.delete(id);
    return pods.length === 0 ? {} : { requeueAfterMs: clusterLimits.obstacleLookMs };
  }

  async #await(
    { sinceMs }: Lookout,
    pods: readonly TroubledPod[],
    signal: AbortSignal,
  ): Promise<readonly AwaitedPod[]> {
    const now = this.#options.clock.monotonicMs();
    const uids = new Set(pods.map(({ metadata: { uid = '' } }) => uid));
    for (const uid of sinceMs.keys()) if (!uids.has(uid)) sinceMs.delete(uid);
    const awaited: AwaitedPod[] = [];
    for (const pod of [...pods].sort(byAge)) {
      const { uid = '' } = pod.metadata;
      const since = sinceMs.get(uid) ?? now;
      sinceMs.set(uid, since);
      const forMs = now - since;
      // The first that is slow speaks for all.
      const isSlow =
        forMs >= clusterLimits.slowStartMs && awaited.every(({ complaint }) => !complaint);
      const isSilent = isPlaced(pod) && !isRunning(pod) && findPodTrouble(pod).reason === undefined;
      const complaint = isSlow && isSilent ? await this.#complaintOf(pod, signal) : undefined;
      awaited.push({ pod, forMs, complaint });
    }
    return awaited;
  }

  /** What Events have last said against a Pod: its status does not tell what it cannot mount. */
  async #complaintOf(
    { metadata: { namespace = '', uid } }: TroubledPod,
    signal: AbortSignal,
  ): Promise<Complaint | undefined> {
    const { client, logger } = this.#options;
    const fieldSelector = `involvedObject.uid=${uid},type=Warning`;
    try {
      const events = client.of<PodEvent>(eventType);
      const { items } = await events.list({
        ...{ namespace, fieldSelector, signal },
        limit: clusterLimits.podEventsMax,
      });
      const last = [...items].sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
      if (last?.reason === undefined || last.message === undefined) return undefined;
      return { reason: last.reason, message: last.message };
    } catch (error) {
      signal.throwIfAborted();
      // Without them less is known, and nothing is wrong.
      logger.debug('Cannot read Events of a Pod', { uid, error: errorMessage(error) });
      return undefined;
    }
  }

  #lookoutOf(id: string): Lookout {
    const known = this.#lookouts.get(id);
    if (known !== undefined) return known;
    const lookout: Lookout = { sinceMs: new Map() };
    this.#lookouts.set(id, lookout);
    return lookout;
  }
}

function byAge(one: KubeObject, other: KubeObject): number {
  const { creationTimestamp: begun = '', name } = one.metadata;
  const { creationTimestamp: otherBegun = '', name: otherName } = other.metadata;
  return begun.localeCompare(otherBegun) || name.localeCompare(otherName);
}

function timeOf({ lastTimestamp, eventTime, metadata }: PodEvent): number {
  const text = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return text === undefined ? 0 : Date.parse(text);
}
