import { type Clock, hasCode, type JsonObject, type Logger, type Random } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { type Controller, createController } from '@fnlet/reconcile';
import { podType } from '../instance-pod.ts';
import { clusterLimits } from './limits.ts';
import type { PodIdentity } from './pod-identity.ts';

export interface PodWriterOptions {
  readonly client: Client;
  /** The API has it that this Pod is an Instance. */
  readonly onClaimed: (uid: string) => void;
  /** The API says that this Pod is gone. */
  readonly onGone: (uid: string) => void;
  /** To be done before a Pod is told to end. */
  readonly beforeEnd: (pod: PodIdentity, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const { claimMs } = clusterLimits;

interface WantedPod {
  readonly pod: PodIdentity;
  /** A merge patch. */
  readonly claim?: JsonObject;
  readonly endsWithinMs?: number;
}

/**
 * Tells the API what has become of Pods, off the way of calls, and again until it has taken it.
 *
 * I1. Nothing is written to another Pod of the same name.
 * I2. A Pod that is to end is not claimed any more.
 * I3. A claim waits until whoever called has been served, as a rule: in place of a Pod that left
 *     its pool another one starts.
 */
export class PodWriter {
  readonly #options: PodWriterOptions;
  readonly #pods: ResourceClient<KubeObject>;
  readonly #controller: Controller;
  readonly #wanted = new Map<string, WantedPod>();

  constructor(options: PodWriterOptions) {
    const { client, clock, random, logger } = options;
    this.#options = options;
    this.#pods = client.of(podType);
    this.#controller = createController({
      name: 'pods of functions',
      sources: [],
      reconcile: async ({ name: uid }, { signal }) => {
        const wanted = this.#wanted.get(uid);
        if (wanted !== undefined) await this.#write(wanted, signal);
        return {};
      },
      concurrency: clusterLimits.podWrites,
      backoff: { baseMs: clusterLimits.podWriteBaseMs, capMs: clusterLimits.podWriteCapMs },
      ...{ clock, random, logger },
    });
  }

  /** The Pod is to look like this. */
  claim(pod: PodIdentity, patch: JsonObject): void {
    const known = this.#wanted.get(pod.uid);
    if (known?.endsWithinMs === undefined) this.#want({ pod, claim: patch }, claimMs);
  }

  /** The Pod is to end. A second word counts where it is for less time. */
  end(pod: PodIdentity, withinMs: number): void {
    const known = this.#wanted.get(pod.uid)?.endsWithinMs ?? Number.POSITIVE_INFINITY;
    if (withinMs < known) this.#want({ pod, endsWithinMs: withinMs });
  }

  /** The Pod is gone. */
  forget(uid: string): void {
    this.#wanted.delete(uid);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#controller.run(signal);
  }

  #want(wanted: WantedPod, afterMs?: number): void {
    const { uid, namespace } = wanted.pod;
    this.#wanted.set(uid, wanted);
    this.#controller.enqueue({ namespace, name: uid }, { afterMs });
  }

  async #write(wanted: WantedPod, signal: AbortSignal): Promise<void> {
    const { pod, claim, endsWithinMs } = wanted;
    const { uid, namespace, name } = pod;
    const key: ObjectKey = { namespace, name };
    try {
      if (endsWithinMs === undefined && claim !== undefined) {
        const patch = { ...claim, metadata: { ...metadataOf(claim), uid } };
        await this.#pods.patch(key, { type: 'merge', patch }, { signal });
        this.#options.onClaimed(uid);
      } else if (endsWithinMs !== undefined) {
        await this.#options.beforeEnd(pod, signal);
        const gracePeriodSeconds = Math.ceil(endsWithinMs / 1000);
        await this.#pods.delete(key, { gracePeriodSeconds, preconditions: { uid }, signal });
      }
      // What is wanted by now may be more.
      if (this.#wanted.get(uid) === wanted && endsWithinMs === undefined) this.forget(uid);
    } catch (error) {
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
      this.forget(uid);
      this.#options.onGone(uid);
    }
  }
}

function metadataOf(patch: JsonObject): object {
  const { metadata } = patch;
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}
