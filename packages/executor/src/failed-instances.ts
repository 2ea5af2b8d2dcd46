/**
 * Owns what is left of Instances that failed, so that their Pods can stay: who looks for the log of
 * a function that does not start finds one.
 *
 * I1. At most one for each Function, the newest, and at most `failedPodsMax` in all.
 * I2. It goes when the Function runs again as it did not then: by the same Revision, or by one that
 *     did not serve beside the one that failed.
 */
import { formatObjectKey } from '@fnlet/machinery';
import type { Instance } from './executor.ts';
import { limits } from './limits.ts';

interface Failed {
  readonly instance: Instance;
  /** Revisions that served when it failed: that they serve says nothing. */
  readonly serving: ReadonlySet<string>;
}

export class FailedInstances {
  /** By Function, oldest first. */
  readonly #byFunction = new Map<string, Failed>();

  /** The one whose Pod has this key. */
  get(podKey: string): Instance | undefined {
    for (const { instance } of this.#byFunction.values()) {
      if (podKeyOf(instance) === podKey) return instance;
    }
    return undefined;
  }

  /**
   * Keeps what is left of an Instance that failed.
   *
   * @param living all other Instances
   * @returns keys of the Pods that are to go for it
   */
  add(instance: Instance, living: Iterable<Instance>): readonly string[] {
    const key = functionKeyOf(instance);
    const serving = new Set<string>();
    for (const other of living) {
      if (other.phase === 'ready' && functionKeyOf(other) === key) serving.add(other.revision.id);
    }
    const gone = [this.#remove(key)];
    this.#byFunction.set(key, { instance, serving });
    const [oldest = key] = this.#byFunction.keys();
    if (this.#byFunction.size > limits.failedPodsMax) gone.push(this.#remove(oldest));
    return gone.flatMap((podKey) => podKey ?? []);
  }

  /** An Instance serves; returns the key of the Pod that is to go for it, if there is one. */
  onReady(instance: Instance): string | undefined {
    const key = functionKeyOf(instance);
    const { serving } = this.#byFunction.get(key) ?? {};
    return serving?.has(instance.revision.id) === true ? undefined : this.#remove(key);
  }

  /** Forgets the one whose Pod has this key. */
  forget(podKey: string): void {
    const instance = this.get(podKey);
    if (instance !== undefined) this.#byFunction.delete(functionKeyOf(instance));
  }

  #remove(key: string): string | undefined {
    const before = this.#byFunction.get(key);
    this.#byFunction.delete(key);
    return before && podKeyOf(before.instance);
  }
}

/** The key of the Pod of an Instance. */
export function podKeyOf({ id, revision }: Instance): string {
  return formatObjectKey({ namespace: revision.namespace, name: id });
}

function functionKeyOf({ revision }: Instance): string {
  return formatObjectKey({ namespace: revision.namespace, name: revision.function });
}
