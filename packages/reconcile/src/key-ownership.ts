import type { ObjectKey } from '@fnlet/machinery';

/**
 * Decides which keys this replica runs when several share the work. Where there is one replica only
 * there is none, and every key is run.
 */
export interface KeyOwnership {
  /** Whether the key is this replica's now; cheap, since it is asked for every event. */
  ownsKey(key: ObjectKey): boolean;
  /**
   * Calls `listener` whenever `ownsKey` may answer otherwise than before, after it does. The promise
   * that the listener returns resolves once nothing that is no longer owned runs: keys that are
   * given away by own will may be taken by another replica only after that.
   *
   * @returns the function that ends it
   */
  subscribe(listener: () => Promise<void>): () => void;
}
