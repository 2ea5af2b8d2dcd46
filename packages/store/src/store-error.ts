import { FnletError, type FnletErrorOptions } from '@fnlet/base';

/**
 * - `Conflict`: what a mutation expected under a key is not there.
 * - `Compacted`: the history asked for is gone; list again.
 * - `FutureRevision`: the store has not reached that revision.
 * - `SlowWatcher`: the reader of a watch fell too far behind.
 * - `Closed`: the store is closed.
 * - `Locked`: another process owns the data directory.
 * - `Full`: the disk is full, or too many writes wait.
 * - `InvalidKey`: a key is empty or too long.
 * - `UnknownFormat`: a newer Fnlet, or something else, wrote the data directory.
 * - `Broken`: the disk failed; nothing can be written until the store is opened again.
 */
export type StoreErrorCode =
  | 'Conflict'
  | 'Compacted'
  | 'FutureRevision'
  | 'SlowWatcher'
  | 'Closed'
  | 'Locked'
  | 'Full'
  | 'InvalidKey'
  | 'UnknownFormat'
  | 'Broken';

export interface StoreErrorOptions extends FnletErrorOptions {
  /** The key whose expectation failed (`Conflict`). */
  readonly key?: string;
  /** The process that owns the directory (`Locked`). */
  readonly pid?: number;
}

/** What a store rejects with. */
export class StoreError extends FnletError<StoreErrorCode> {
  override readonly name = 'StoreError';
  readonly key: string | undefined;
  readonly pid: number | undefined;

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(code, message, options);
    this.key = options.key;
    this.pid = options.pid;
  }
}
