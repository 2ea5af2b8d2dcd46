/**
 * The caches of a manager.
 *
 * I1. One per kind, version and selection, whoever asks; see SharedCache.
 * I2. A cache without users has no watch: it ends with the last of them.
 */
import type { Clock, Logger, Random } from '@fnlet/base';
import { type Cache, type CacheOptions, type Client, createCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { keepOwnManagedFields } from '../apply/keep-own-managed-fields.ts';
import type { CacheNeeds } from './cache-needs.ts';
import { CacheView } from './cache-view.ts';
import { SharedCache } from './shared-cache.ts';

/** Which objects a user of a shared cache wants, and how; see CacheOptions of the client. */
export interface CacheRequest<T extends KubeObject>
  extends Pick<
    CacheOptions<T>,
    | 'namespace'
    | 'namespaces'
    | 'labelSelector'
    | 'fieldSelector'
    | 'keep'
    | 'metadataOnly'
    | 'project'
    | 'indexes'
  > {
  /**
   * The field manager who has to find in whole objects what it applied, so that it need not apply
   * again after a start; see keepOwnManagedFields.
   */
  readonly appliedBy?: string | undefined;
}

export interface SharedCachesOptions {
  readonly client: Client;
  /** Whether cached objects are frozen. Default true. */
  readonly freeze?: boolean | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onFailure: (error: unknown) => void;
}

/** A user's place at a cache; the cache ends with the last of them. */
export interface CacheLease<T extends KubeObject> {
  readonly cache: Cache<T>;
  close(): void;
}

/** A shared cache whose kind is forgotten; `isOf` remembers it. */
interface ErasedCache {
  readonly cache: Cache<KubeObject>;
  observe(object: KubeObject): void;
  start(): void;
  stop(): Promise<void>;
}

interface Entry {
  readonly shared: ErasedCache;
  users: number;
}

export class SharedCaches {
  readonly #options: SharedCachesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new Set<Promise<void>>();
  #isRunning = false;

  constructor(options: SharedCachesOptions) {
    this.#options = options;
  }

  /** Every cache that is in use, for metrics and health. */
  get all(): readonly Cache<KubeObject>[] {
    return [...this.#entries.values()].map(({ shared }) => shared.cache);
  }

  open<T extends KubeObject>(type: ResourceType, options: CacheRequest<T> = {}): CacheLease<T> {
    const { indexes = {}, appliedBy } = options;
    const key = scopeKey(type, options);
    const known = this.#entries.get(key);
    const needs: CacheNeeds<T> = {
      keep: options.keep,
      project: options.project,
      managers: appliedBy === undefined ? [] : [appliedBy],
      indexes: Object.values(indexes),
    };
    const isKnown = known !== undefined && isOf<T>(known.shared, type);
    const shared = isKnown ? known.shared : this.#create(type, options, needs);
    const synced = shared.widen(needs);
    const entry = known ?? { shared, users: 0 };
    this.#entries.set(key, entry);
    if (known === undefined && this.#isRunning) shared.start();
    return {
      cache: new CacheView(type, { shared, synced, indexes }),
      close: this.#join(key, entry),
    };
  }

  /** Shows the answer of a write to every cache of its kind. */
  observe(type: ResourceType, object: KubeObject): void {
    for (const { shared } of this.#entries.values()) {
      if (isSameType(shared.cache.type, type)) shared.observe(object);
    }
  }

  start(): void {
    this.#isRunning = true;
    for (const { shared } of this.#entries.values()) shared.start();
  }

  async stop(): Promise<void> {
    const running = [...this.#entries.values()].map(({ shared }) => shared.stop());
    this.#entries.clear();
    await Promise.all([...running, ...this.#stopping]);
  }

  #create<T extends KubeObject>(
    type: ResourceType,
    options: CacheRequest<T>,
    needs: CacheNeeds<T>,
  ): SharedCache<T> {
    const { client, freeze, clock, random, logger, onFailure } = this.#options;
    const { keep: _keep, project: _project, indexes: _indexes, ...rest } = options;
    const { appliedBy: _appliedBy, ...selection } = rest;
    return new SharedCache(needs, {
      open: ({ indexes, ...wanted }) => {
        const named = Object.fromEntries(indexes.map((index, place) => [place, index]));
        const kept = { ...keptParts(wanted), indexes: named, freeze };
        return createCache<T>({ ...selection, ...kept, client, type, clock, random, logger });
      },
      onFailure,
      logger,
    });
  }

  // I2
  #join(key: string, entry: Entry): () => void {
    entry.users += 1;
    let isOpen = true;
    return () => {
      if (isOpen) entry.users -= 1;
      isOpen = false;
      if (entry.users > 0 || this.#entries.get(key) !== entry) return;
      this.#entries.delete(key);
      const stopped = entry.shared.stop();
      this.#stopping.add(stopped);
      void stopped.then(() => this.#stopping.delete(stopped));
    };
  }
}

/** Of managedFields only the wanted stay, unless somebody wants them all. */
function keptParts<T extends KubeObject>({
  keep,
  project,
  managers,
}: Omit<CacheNeeds<T>, 'indexes'>): Pick<CacheOptions<T>, 'keep' | 'project'> {
  if (keep !== undefined || managers.length === 0) return { keep, project };
  const keepOwn = keepOwnManagedFields(...managers);
  const projectOwn = (object: T): T => keepOwn(object);
  return { keep: ['*'], project: project ? (object) => project(keepOwn(object)) : projectOwn };
}

function scopeKey<T extends KubeObject>(type: ResourceType, options: CacheRequest<T>): string {
  const { namespace, namespaces, labelSelector, fieldSelector, metadataOnly } = options;
  const selection = [namespace, namespaces, labelSelector, fieldSelector, metadataOnly];
  return JSON.stringify([type.group, type.version, type.plural, ...selection]);
}

function isSameType(a: ResourceType, b: ResourceType): boolean {
  return a.group === b.group && a.version === b.version && a.plural === b.plural;
}

function isOf<T extends KubeObject>(
  shared: ErasedCache,
  type: ResourceType,
): shared is SharedCache<T> {
  return isSameType(shared.cache.type, type);
}
