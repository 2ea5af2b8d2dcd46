/**
 * How many replicas somebody else wants of the Deployment of a Revision: a HorizontalPodAutoscaler,
 * `kubectl scale`, or another scaler. What they say holds while the Revision is awake; asleep and
 * awake is Fnlet's to say.
 *
 * I1. Fewer are taken away by whoever lowered the number, not by Fnlet as well: the ReplicaSet
 *     chooses which Pods end, and two who choose would end twice as many.
 */
import { type Clock, isJsonObject, type Timer } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { clusterLimits } from './limits.ts';

/**
 * Annotation of a Deployment: how many replicas Fnlet asked for last. Another number in its
 * `replicas` is somebody else's, whoever wrote it and by whatever way.
 */
export const replicasAnnotation = 'fnlet.dev/replicas';

/** What somebody else asks for, and what Fnlet had asked for before. */
export interface ForeignReplicas {
  readonly replicas: number;
  /** Stays in the annotation as long as the other number holds. */
  readonly said: string;
}

/** What a Deployment says; `undefined`: the number in it is Fnlet's own, or it is 0. */
export function readForeignReplicas(
  deployment: (KubeObject & { readonly spec?: unknown }) | undefined,
): ForeignReplicas | undefined {
  const said = deployment?.metadata.annotations?.[replicasAnnotation];
  const replicas = isJsonObject(deployment?.spec) ? deployment.spec.replicas : undefined;
  // To sleep is not for others to say: there are calls.
  if (said === undefined || typeof replicas !== 'number' || replicas === 0) return undefined;
  return said === String(replicas) ? undefined : { replicas, said };
}

interface Followed {
  readonly replicas: number;
  /** A smaller number that holds when the timer is due. */
  readonly next?: { readonly replicas: number; readonly timer: Timer };
}

/** What Fnlet follows of it, by the id of the Revision. */
export class FollowedReplicas {
  readonly #clock: Clock;
  readonly #onChange: (revision: string) => void;
  readonly #followed = new Map<string, Followed>();

  /** @param onChange another number of Instances is wanted of this Revision */
  constructor(clock: Clock, onChange: (revision: string) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** How many Instances there are to be; `undefined`: as many as Fnlet says. */
  of(revision: string): number | undefined {
    return this.#followed.get(revision)?.replicas;
  }

  /**
   * The API shows this.
   *
   * @param current Instances that there are to be so far
   */
  show(revision: string, foreign: ForeignReplicas | undefined, current: number): void {
    const known = this.#followed.get(revision);
    const newest = known?.next?.replicas ?? known?.replicas;
    if (foreign?.replicas === newest) return;
    known?.next?.timer.cancel();
    if (foreign === undefined) {
      this.#followed.delete(revision);
    } else if (foreign.replicas < current) {
      // I1
      const timer = this.#clock.after(clusterLimits.followDownMs, () => {
        this.#set(revision, foreign.replicas);
      });
      const next = { replicas: foreign.replicas, timer };
      this.#followed.set(revision, { replicas: current, next });
      return;
    } else this.#followed.set(revision, { replicas: foreign.replicas });
    this.#onChange(revision);
  }

  /** The Revision sleeps, or is gone. */
  forget(revision: string): void {
    this.#followed.get(revision)?.next?.timer.cancel();
    this.#followed.delete(revision);
  }

  close(): void {
    for (const revision of [...this.#followed.keys()]) this.forget(revision);
  }

  #set(revision: string, replicas: number): void {
    this.#followed.set(revision, { replicas });
    this.#onChange(revision);
  }
}
