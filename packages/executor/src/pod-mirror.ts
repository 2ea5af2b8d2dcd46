/**
 * Owns the Pods that show Instances to Kubernetes clients, and obeys when one is deleted there.
 * Instances are the truth: events of either side only name what to look at again, and one write
 * follows another until the Pod says what the Instance does now.
 *
 * I1. Never on the path of a request: events only enqueue, and only who says to the world that an
 *     Instance is ready waits for its Pod. Per Instance one write at a time, and the newest state
 *     wins; so the queue is never longer than there are Instances and Pods.
 * I2. A Pod of this node without an Instance is deleted, those of an earlier life included; but the
 *     Pod of an Instance that failed stays for a while, as failed-instances.ts says.
 * I3. A Pod that was deleted by somebody else evicts its Instance.
 */
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  hasCode,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  type Logger,
  type Random,
} from '@fnlet/base';
import {
  type Cache,
  type CacheEvent,
  type Client,
  createCache,
  type ResourceClient,
} from '@fnlet/client';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseObjectKey,
} from '@fnlet/machinery';
import { type Executor, hasFailed, type Instance } from './executor.ts';
import { FailedInstances, podKeyOf } from './failed-instances.ts';
import {
  type DebugContainer,
  graceSeconds,
  instancePod,
  instancePodStatus,
  podSelector,
  podType,
} from './instance-pod.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { limits } from './limits.ts';

export interface PodMirrorOptions {
  /** Its field manager owns what the mirror writes: `fnlet-executor`. */
  readonly client: Client;
  readonly executor: Executor;
  /** The one virtual node that all these Pods run on. */
  readonly nodeName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Mirrors Instances as Pods. */
export interface PodMirror {
  /** Mirrors until `signal` aborts; Pods that are there then stay. Call it once. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Shows these Instances at once. Resolves when each has a Pod that says what it did when this was
   * called or later; one whose Pod the API refuses is tried again later, and is not waited for.
   */
  show(instances: readonly Instance[]): Promise<void>;
}

/** What is known to be written of a Pod. */
interface Written {
  readonly status: JsonObject | undefined;
  readonly terminating: boolean;
}

export function createPodMirror(options: PodMirrorOptions): PodMirror {
  return new Mirror(options);
}

class Mirror implements PodMirror {
  readonly #options: PodMirrorOptions;
  readonly #pods: ResourceClient<KubeObject>;
  readonly #cache: Cache<KubeObject>;
  readonly #queue: KeyedQueue;
  /** The newest state of each Instance that lives, by key of its Pod. */
  readonly #instances = new Map<string, Instance>();
  /** Keys of the Pods of those that start: calls wait for them, and nobody for a Pod. */
  readonly #starting = new Set<string>();
  readonly #failed = new FailedInstances();
  readonly #written = new Map<string, Written>();

  constructor(options: PodMirrorOptions) {
    const { client, clock, random, logger } = options;
    this.#options = options;
    this.#pods = client.of<KubeObject>(podType);
    this.#cache = createCache<KubeObject>({
      client,
      type: podType,
      labelSelector: podSelector,
      project: partOfPod,
      clock,
      random,
      logger,
    });
    this.#queue = new KeyedQueue({
      workersMax: limits.mirrorWritesMax,
      delayMs: () => (this.#starting.size > 0 ? limits.mirrorDelayMaxMs : limits.mirrorDelayMs),
      delayMaxMs: limits.mirrorDelayMaxMs,
      retryMs: (failures) =>
        backoffDelayMs(
          failures,
          { baseMs: limits.mirrorBackoffBaseMs, capMs: limits.mirrorBackoffCapMs, jitter: 0.5 },
          random,
        ),
      clock,
      work: (key, signal) => this.#write(key, signal),
      onFailure: (key, error) =>
        logger.warn('Cannot write a Pod', { pod: key, error: errorMessage(error) }),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { executor } = this.#options;
    const unsubscribe = executor.subscribe(({ instance }) => this.#onInstance(instance));
    const unfollow = this.#cache.subscribe((event) => this.#onPod(event));
    for (const instance of executor.instances()) this.#onInstance(instance);
    try {
      await Promise.all([this.#cache.run(signal), this.#queue.run(signal)]);
    } finally {
      unsubscribe();
      unfollow();
    }
  }

  async show(instances: readonly Instance[]): Promise<void> {
    await Promise.all(instances.map((instance) => this.#queue.hurry(podKeyOf(instance))));
  }

  #onInstance(instance: Instance): void {
    const key = podKeyOf(instance);
    if (instance.phase === 'starting') this.#starting.add(key);
    else this.#starting.delete(key);
    if (instance.phase === 'stopped') this.#onStopped(key, instance);
    else this.#instances.set(key, instance);
    if (instance.phase === 'ready') this.#lookAgain(this.#failed.onReady(instance));
    this.#queue.add(key);
  }

  #onStopped(key: string, instance: Instance): void {
    // One whose Pod somebody has deleted is not among them any more.
    const isKnown = this.#instances.delete(key);
    if (!isKnown || !hasFailed(instance)) return;
    for (const other of this.#failed.add(instance, this.#instances.values())) {
      this.#lookAgain(other);
    }
  }

  #lookAgain(key: string | undefined): void {
    if (key !== undefined) this.#queue.add(key);
  }

  #onPod({ kind, object }: CacheEvent<KubeObject>): void {
    const { executor } = this.#options;
    if (!this.#isOurs(object)) return;
    const key = formatObjectKey(objectKey(object));
    const instance = this.#instances.get(key);
    const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
    const isDropped = kind === 'deleted' || deletionTimestamp !== undefined;
    if (instance === undefined) {
      if (isDropped) this.#failed.forget(key);
      if (kind !== 'deleted') this.#queue.add(key);
      return;
    }
    if (!isDropped && debugContainers(object).length > 0) this.#queue.add(key);
    if (instance.phase === 'draining' || !isDropped) return;
    // From one that does not run nothing is to be left either.
    this.#instances.delete(key);
    const seconds = deletionGracePeriodSeconds ?? graceSeconds(instance);
    const isGone = kind === 'deleted';
    executor.evict(instance.id, isGone ? instance.revision.limits.drainMs : seconds * 1000);
  }

  #isOurs(pod: KubeObject): boolean {
    return isJsonObject(pod.spec) && pod.spec.nodeName === this.#options.nodeName;
  }

  /** One look at one Pod: at most the writes that it takes now. */
  async #write(text: string, signal: AbortSignal): Promise<void> {
    const instance = this.#instances.get(text) ?? this.#failed.get(text);
    const key = parseObjectKey(text);
    const written = this.#written.get(text);
    if (instance === undefined) {
      if (written !== undefined || this.#cache.get(key) !== undefined) {
        await this.#delete(key, 0, signal);
      }
      this.#written.delete(text);
    } else if (instance.phase === 'draining') {
      if (written === undefined || written.terminating) return;
      await this.#delete(key, graceSeconds(instance), signal);
      this.#written.set(text, { ...written, terminating: true });
    } else {
      await this.#show(text, instance, signal);
    }
  }

  async #show(text: string, instance: Instance, signal: AbortSignal): Promise<void> {
    const pod = instancePod(instance, this.#options.nodeName);
    const written = this.#written.get(text);
    if (written === undefined) {
      await this.#pods.apply(pod, { force: true, signal });
      this.#written.set(text, { status: undefined, terminating: false });
    }
    const found = this.#cache.get(objectKey(pod));
    const status = instancePodStatus(instance, found === undefined ? [] : debugContainers(found));
    if (jsonEqual(status, written?.status)) return;
    const { apiVersion, kind, metadata } = pod;
    const { name, namespace = '' } = metadata;
    const patch = { apiVersion, kind, metadata: { name, namespace }, status };
    await this.#pods.apply(patch, { force: true, subresource: 'status', signal });
    this.#written.set(text, { status, terminating: false });
  }

  async #delete(key: ObjectKey, gracePeriodSeconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#pods.delete(key, { gracePeriodSeconds, signal });
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }
}

// Only what #onPod and #show look at.
function partOfPod({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  const { nodeName, ephemeralContainers } = isJsonObject(spec) ? spec : {};
  const debugging = ephemeralContainers === undefined ? {} : { ephemeralContainers };
  return { apiVersion, kind, metadata, spec: { nodeName, ...debugging } };
}

function debugContainers({ spec }: KubeObject): readonly DebugContainer[] {
  const found = isJsonObject(spec) ? spec.ephemeralContainers : undefined;
  if (!Array.isArray(found)) return [];
  return found.filter(isJsonObject).map(({ name, image }) => ({
    name: String(name),
    image: String(image),
  }));
}
