import { LedgerStore } from './ledger-store.ts';
import { MemoryLedger } from './memory-ledger.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions {
  /** How many changes stay watchable at least. Default 10 000. */
  readonly historyMin?: number;
}

/** A store that lives and dies with the process: for tests, and for what need not be kept. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new LedgerStore(new MemoryLedger(), { historyMin: options.historyMin });
}
