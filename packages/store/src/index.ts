export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export { type MemoryStoreOptions, openMemoryStore } from './memory-store.ts';
export type { Change, ListOptions, Mutation, Page, Store, StoredObject } from './store.ts';
export { StoreError, type StoreErrorCode, type StoreErrorOptions } from './store-error.ts';
