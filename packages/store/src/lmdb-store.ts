import { mkdir } from 'node:fs/promises';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { checkFormat, syncDirectory } from './format-marker.ts';
import { LedgerStore } from './ledger-store.ts';
import { LmdbLedger } from './lmdb-ledger.ts';
import type { Store } from './store.ts';

export interface LmdbStoreOptions {
  /** The store's own directory; created when missing, with mode 0700. */
  readonly directory: string;
  /** How many changes stay watchable at least. Default 10 000. */
  readonly historyMin?: number;
}

/**
 * A durable store: a resolved write survives `kill -9` and power loss.
 *
 * One process owns the directory until it closes the store or dies; a lock left by a dead process
 * is taken over.
 *
 * @example
 * await using store = await openLmdbStore({ directory: '.fnlet/store' });
 * await store.write([{ key: '/configmaps/default/a', value: { data: {} }, expected: 0 }]);
 *
 * @throws StoreError `Locked` (with the pid of the owner), `UnknownFormat`
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { directory, historyMin } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    return await openLocked(directory, historyMin, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openLocked(
  directory: string,
  historyMin: number | undefined,
  lock: DirectoryLock,
): Promise<Store> {
  await checkFormat(directory);
  const ledger = await LmdbLedger.open(directory);
  await syncDirectory(directory);
  return new LedgerStore(ledger, { historyMin, onClosed: lock.release });
}
