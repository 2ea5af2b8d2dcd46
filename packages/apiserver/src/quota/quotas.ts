import type { JsonObject } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import { objectsPrefix, parseStoreKey } from '../object/object-keys.ts';
import { parseQuota, type Quota } from './quota.ts';

/** Where ResourceQuotas are kept. */
export const quotasPrefix: string = `${objectsPrefix}core/resourcequotas/`;

/** A quota as it is kept, and the revision that a write of it must expect. */
export interface KeptQuota {
  readonly key: string;
  readonly revision: number;
  readonly value: JsonObject;
  readonly quota: Quota;
}

/**
 * The quotas that there are, and whose turn it is to write what they count.
 *
 * I1. Without quotas, asking costs one comparison.
 * I2. What the quotas of one namespace say is changed in one turn after another, so that nobody
 *     decides by a use that another is about to change. The store would refuse the second write
 *     anyway: turns keep many from trying again and again.
 */
export class Quotas {
  readonly #store: Store;
  readonly #leave: () => void;
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #counted = new Set<string>();
  #namespaces: ReadonlySet<string> | undefined;

  constructor(store: Store) {
    this.#store = store;
    const forget = (): void => {
      this.#namespaces = undefined;
    };
    this.#leave = store.subscribe(quotasPrefix, {
      // A change of what is used, by far the most frequent one, changes nothing here.
      changed: ({ key, text }) => {
        const isKnown = this.#namespaces?.has(parseStoreKey(key).namespace) === true;
        if (text === undefined || !isKnown) forget();
      },
      ended: forget,
    });
  }

  /** Whether the namespace has any. */
  countIn(namespace: string): boolean {
    this.#namespaces ??= this.#readNamespaces();
    return this.#namespaces.size > 0 && this.#namespaces.has(namespace);
  }

  /** Those of a namespace, by name. */
  of(namespace: string): readonly KeptQuota[] {
    if (!this.countIn(namespace)) return [];
    return this.#store.list(`${quotasPrefix}${namespace}/`).objects.map((stored) => {
      const { key, revision, value } = stored;
      return { key, revision, value, quota: parseQuota(value) };
    });
  }

  /** Does the work when everybody who came before is done with the quotas of the namespace. */
  async inTurn<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(namespace);
    const own = before === undefined ? work() : before.then(work, work);
    this.#last.set(namespace, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(namespace) === own) this.#last.delete(namespace);
    }
  }

  /** Makes a write of what is under these keys, in its turn, by one who has counted. */
  async counting<T>(keys: readonly string[], write: () => Promise<T>): Promise<T> {
    for (const key of keys) this.#counted.add(key);
    try {
      return await write();
    } finally {
      for (const key of keys) this.#counted.delete(key);
    }
  }

  /** Whether the write under `key` that is being told of is by one who has counted. */
  isCounted(key: string): boolean {
    return this.#counted.has(key);
  }

  close(): void {
    this.#leave();
  }

  #readNamespaces(): ReadonlySet<string> {
    const keys = this.#store.keys(quotasPrefix);
    return new Set(keys.map((key) => parseStoreKey(key).namespace));
  }
}
