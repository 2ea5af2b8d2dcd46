export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export {
  type MemoryStore,
  type MemoryStoreOptions,
  openMemoryStore,
  type StoreSnapshot,
} from './memory-store.ts';
export type {
  Change,
  ChangeListener,
  ListOptions,
  Mutation,
  Page,
  Store,
  StoredObject,
} from './store.ts';
export { StoreError, type StoreErrorCode, type StoreErrorOptions } from './store-error.ts';
