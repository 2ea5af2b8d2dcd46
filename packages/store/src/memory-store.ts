import { LedgerStore } from './ledger-store.ts';
import { type LedgerSnapshot, MemoryLedger } from './memory-ledger.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions {
  /** How many changes stay watchable at least. Default 10 000. */
  readonly historyMin?: number;
  /** A state to continue from. Default: an empty store. */
  readonly from?: StoreSnapshot | undefined;
}

/** The state of a memory store at one moment. It never changes, and shares its values. */
export type StoreSnapshot = LedgerSnapshot;

/** A store whose state can be kept and continued from, any number of times. */
export interface MemoryStore extends Store {
  /** The objects, the history and the counter as readers see them now. */
  snapshot(): StoreSnapshot;
}

/** A store that lives and dies with the process: for tests, and for what need not be kept. */
export function openMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const ledger = new MemoryLedger(options.from);
  const store = new LedgerStore(ledger, { historyMin: options.historyMin });
  return Object.assign(store, { snapshot: () => ledger.snapshot(store.state()) });
}
