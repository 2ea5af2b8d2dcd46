/** One committed change without its values, which the ledger keeps by revision. */
export interface LedgerChange {
  readonly revision: number;
  readonly key: string;
  /** The revision of the object before; 0 when there was none. */
  readonly previous: number;
  readonly deleted: boolean;
}

/** What one flush adds and forgets. All of it happens, or nothing. */
export interface LedgerBatch {
  /** The counter after the flush. */
  readonly revision: number;
  /** Changes up to and including this revision are forgotten. */
  readonly compacted: number;
  readonly changes: readonly (LedgerChange & { readonly text: string | undefined })[];
  /** Old changes to forget; the values that they replaced go with them. */
  readonly dropped: readonly LedgerChange[];
}

/** What a ledger held when it was opened. */
export interface LedgerStart {
  readonly revision: number;
  readonly compacted: number;
  /** The live keys with the revision of their objects, in any order. */
  readonly keys: Iterable<readonly [key: string, revision: number]>;
}

/**
 * Where a store keeps its bytes: the text of every object version by its revision, the log of
 * changes, and the live keys. Each text is kept once, whether it is the current object, the value
 * of a change or the previous value of the next one.
 *
 * I1. The text of revision r exists while r is live, or a kept change has r as its own or as its
 *     previous revision.
 * I2. Once `commit` has resolved, reads see the batch. It may become visible earlier.
 * I3. One `commit` runs at a time.
 */
export interface Ledger {
  readonly start: LedgerStart;
  /** The text written at `revision`, which must exist (I1). */
  read(revision: number): string;
  /** At most `limit` changes after `revision`, in order. */
  changes(revision: number, limit: number): readonly LedgerChange[];
  /**
   * Resolves once the batch is durable. Rejects with `StoreError` `Full` when it did not fit (the
   * ledger is as before) and `Broken` when the disk failed.
   */
  commit(batch: LedgerBatch): Promise<void>;
  close(): Promise<void>;
}
