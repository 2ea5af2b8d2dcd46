import { assert } from '@fnlet/base';
import type { Cache, CacheStats } from '@fnlet/client';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import type { IndexFunction } from './cache-needs.ts';
import type { CacheListener, SharedCache } from './shared-cache.ts';

/** What one of its users sees of a shared cache. */
export class CacheView<T extends KubeObject> implements Cache<T> {
  readonly type: Cache<T>['type'];
  readonly synced: Promise<void>;
  readonly #shared: SharedCache<T>;
  readonly #indexes: Readonly<Record<string, IndexFunction<T>>>;

  constructor(
    type: Cache<T>['type'],
    options: {
      readonly shared: SharedCache<T>;
      readonly synced: Promise<void>;
      readonly indexes: Readonly<Record<string, IndexFunction<T>>>;
    },
  ) {
    this.type = type;
    this.synced = options.synced;
    this.#shared = options.shared;
    this.#indexes = options.indexes;
  }

  run(): Promise<void> {
    return Promise.reject(new Error('Broken invariant: a shared cache is run by its manager'));
  }

  get(key: ObjectKey): T | undefined {
    return this.#shared.cache.get(key);
  }

  list(namespace?: string): readonly T[] {
    return this.#shared.cache.list(namespace);
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes[name];
    assert(index !== undefined, `index "${name}" was declared for ${this.type.plural}`);
    return this.#shared.byIndex(index, value);
  }

  subscribe(listener: CacheListener<T>): () => void {
    return this.#shared.subscribe(listener);
  }

  observe(object: T): void {
    this.#shared.observe(object);
  }

  async reached(resourceVersion: string, signal: AbortSignal, namespace?: string): Promise<void> {
    await this.synced;
    await this.#shared.cache.reached(resourceVersion, signal, namespace);
  }

  stats(): CacheStats {
    return this.#shared.cache.stats();
  }
}
