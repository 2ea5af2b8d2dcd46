import type { JsonObject } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import { flushMs } from '../limits.ts';

/**
 * What a page becomes: `undefined` deletes it, the page itself leaves it as it is. It may be asked
 * again, where somebody else has written the page meanwhile.
 */
export type PageChange = (page: JsonObject | undefined) => JsonObject | undefined;

/** Where pages of records are kept. */
export interface PageStore {
  /** How long what is to be written waits for more of it. */
  readonly flushMs: number;
  /** A page as it is known here. */
  read(key: string): JsonObject | undefined;
  /** The keys of the pages that there are under a prefix. */
  keys(prefix: string): readonly string[];
  /** Resolves once what is read is as new as this call, also what others have written. */
  refresh(): Promise<void>;
  /** Has pages changed; resolves once that is kept. */
  write(changes: ReadonlyMap<string, PageChange>): Promise<void>;
}

/** Pages in a store that is this process's own. */
export function pagesOf(store: Store): PageStore {
  return {
    flushMs,
    refresh: () => Promise.resolve(),
    read: (key) => store.get(key)?.value,
    keys: (prefix) => store.keys(prefix),
    async write(changes) {
      const mutations = [...changes].flatMap(([key, change]) => {
        const page = store.get(key)?.value;
        const value = change(page);
        return value === page ? [] : [{ key, value, expected: undefined }];
      });
      if (mutations.length > 0) await store.write(mutations);
    },
  };
}
