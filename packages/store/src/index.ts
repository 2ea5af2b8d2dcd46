export type { Change, ListOptions, Mutation, Page, Store, StoredObject } from './store.ts';
