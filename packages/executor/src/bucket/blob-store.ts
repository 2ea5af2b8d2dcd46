import { FnletError, type FnletErrorOptions } from '@fnlet/base';

export type BlobErrorCode =
  /** The settings do not name a store. */
  | 'InvalidStore'
  /** The store does not take the credentials, or they may not do this. */
  | 'Denied'
  /** There is no such bucket. */
  | 'BucketNotFound'
  /** The store did not answer, or said that it cannot now. */
  | 'Unreachable'
  /** The store answered what nobody understands. */
  | 'BrokenAnswer';

/** Why a store of blobs did not do what it was asked. */
export class BlobError extends FnletError<BlobErrorCode> {
  override readonly name = 'BlobError';

  constructor(code: BlobErrorCode, message: string, options: FnletErrorOptions = {}) {
    super(code, message, options);
  }
}

/** A blob as a list tells of it. */
export interface ListedBlob {
  readonly key: string;
  readonly bytes: number;
  /** When it was put, by the clock of the store. */
  readonly changedMs: number;
}

/**
 * Files by keys, in a place that outlives this process and its disk. Keys are of letters, digits,
 * and `.`, `-`, `_` and `/` between them.
 *
 * I1. A blob appears as a whole or not at all.
 */
export interface BlobStore {
  /** What it is called in messages. */
  readonly name: string;
  /**
   * Writes a blob into a file, which is the caller's, also after a failure.
   *
   * @returns whether there is such a blob
   * @throws BlobError
   */
  get(key: string, target: BlobTarget, signal: AbortSignal): Promise<boolean>;
  /**
   * Puts a file there, in place of what has that key.
   *
   * @throws BlobError
   */
  put(key: string, file: string, signal: AbortSignal): Promise<void>;
  /**
   * All blobs whose keys begin like this, in the order of their keys.
   *
   * @throws BlobError
   */
  list(prefix: string, signal: AbortSignal): AsyncIterable<ListedBlob>;
  /**
   * Removes a blob; one that is not there is removed already.
   *
   * @throws BlobError
   */
  remove(key: string, signal: AbortSignal): Promise<void>;
  /** Ends connections that are kept. */
  close(): void;
}

export interface BlobTarget {
  /** File to write. */
  readonly file: string;
  /** A larger blob is none that anybody put there: it is not brought. */
  readonly bytesMax: number;
}

/** Whether a key is one that every store takes. */
export function isBlobKey(key: string): boolean {
  const isPlain = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(key) && key.length <= 900;
  return isPlain && !key.split('/').some((part) => part === '' || part.startsWith('.'));
}

/** What is larger than anybody would have put there. */
export function tooLarge(
  blob: { readonly store: string; readonly key: string },
  bytes: number,
  bytesMax: number,
): BlobError {
  const found = `found ${bytes} bytes, expected at most ${bytesMax}`;
  return new BlobError('BrokenAnswer', `Cannot read "${blob.key}" in ${blob.store}: ${found}`);
}
