/**
 * Which objects an operator runs: those of its replica; once it leaves, of them only those that are
 * being deleted, for which something may be left to clean up.
 */
import type { ObjectKey } from '@fnlet/machinery';
import type { KeyOwnership } from '@fnlet/reconcile';

export interface LeavingKeysOptions {
  /** Which keys are this replica's. Default: all. */
  readonly ownership: KeyOwnership | undefined;
  /** Whether the object is being deleted. */
  readonly isGoing: (key: ObjectKey) => boolean;
  /** Whether it leaves from the start. */
  readonly isLeaving: boolean;
}

export class LeavingKeys implements KeyOwnership {
  readonly #options: LeavingKeysOptions;
  readonly #listeners = new Set<() => Promise<void>>();
  #isLeaving: boolean;

  constructor(options: LeavingKeysOptions) {
    this.#options = options;
    this.#isLeaving = options.isLeaving;
  }

  ownsKey(key: ObjectKey): boolean {
    const { ownership, isGoing } = this.#options;
    return ownership?.ownsKey(key) !== false && (!this.#isLeaving || isGoing(key));
  }

  subscribe(listener: () => Promise<void>): () => void {
    this.#listeners.add(listener);
    const stop = this.#options.ownership?.subscribe(listener);
    return () => {
      this.#listeners.delete(listener);
      stop?.();
    };
  }

  /** From now on it leaves; resolves once nothing runs any more that is not being deleted. */
  async leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    await Promise.all([...this.#listeners].map((listener) => listener()));
  }
}
