/**
 * One cache of one kind for all who read it, however much each of them needs.
 *
 * I1. There is one watch; a second one only while the first is being replaced, because somebody
 *     needs more of the objects than it keeps. Until the wider one is synced, the narrower serves.
 * I2. Listeners are told the difference between the two and nothing else: an object that is the
 *     same on the server is no news, however much more of it is known.
 * I3. Nobody's `synced` resolves before the cache keeps what that one needs.
 */
import { assert, errorMessage, type Logger } from '@fnlet/base';
import type { Cache, CacheEvent } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import { type CacheNeeds, coversNeeds, type IndexFunction, uniteNeeds } from './cache-needs.ts';

export type CacheListener<T extends KubeObject> = (event: CacheEvent<T>) => void;

export interface SharedCacheOptions<T extends KubeObject> {
  /** Makes a cache that keeps what is needed; its indexes are named by their place. */
  readonly open: (needs: CacheNeeds<T>) => Cache<T>;
  /** Told when a watch has failed for good, which is an error of this program. */
  readonly onFailure: (error: unknown) => void;
  readonly logger: Logger;
}

interface Feed<T extends KubeObject> {
  readonly cache: Cache<T>;
  readonly needs: CacheNeeds<T>;
  readonly abort: AbortController;
}

interface Waiter<T extends KubeObject> {
  readonly needs: CacheNeeds<T>;
  resolve(): void;
}

export class SharedCache<T extends KubeObject> {
  readonly #options: SharedCacheOptions<T>;
  readonly #listeners = new Set<CacheListener<T>>();
  readonly #waiters = new Set<Waiter<T>>();
  readonly #ending = new Set<Promise<void>>();
  #current: Feed<T>;
  /** The wider one that is about to take over. */
  #next: Feed<T> | undefined;
  #unfollow = (): void => {};
  #isRunning = false;

  constructor(needs: CacheNeeds<T>, options: SharedCacheOptions<T>) {
    this.#options = options;
    this.#current = this.#open(needs);
    this.#follow(this.#current);
  }

  /** The cache that answers now. */
  get cache(): Cache<T> {
    return this.#current.cache;
  }

  /** From now on keeps at least this; resolves once it does. */
  widen(needs: CacheNeeds<T>): Promise<void> {
    const known = (this.#next ?? this.#current).needs;
    if (!coversNeeds(known, needs)) this.#replace(this.#open(uniteNeeds(known, needs)));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ needs, resolve });
    const current = this.#current;
    void current.cache.synced.then(() => this.#tellSynced(current));
    return promise;
  }

  byIndex(index: IndexFunction<T>, value: string): readonly T[] {
    const place = this.#current.needs.indexes.indexOf(index);
    return place < 0 ? [] : this.cache.byIndex(`${place}`, value);
  }

  subscribe(listener: CacheListener<T>): () => void {
    this.#listeners.add(listener);
    for (const object of this.cache.list()) this.#call(listener, { kind: 'added', object });
    return () => {
      this.#listeners.delete(listener);
    };
  }

  observe(object: T): void {
    this.#current.cache.observe(object);
    this.#next?.cache.observe(object);
  }

  start(): void {
    assert(!this.#isRunning, 'a shared cache starts once');
    this.#isRunning = true;
    this.#run(this.#current);
  }

  async stop(): Promise<void> {
    this.#next?.abort.abort();
    this.#current.abort.abort();
    await Promise.all(this.#ending);
  }

  #open(needs: CacheNeeds<T>): Feed<T> {
    return { cache: this.#options.open(needs), needs, abort: new AbortController() };
  }

  #replace(feed: Feed<T>): void {
    if (!this.#isRunning) {
      this.#adopt(feed);
      return;
    }
    this.#next?.abort.abort();
    this.#next = feed;
    this.#run(feed);
  }

  #run(feed: Feed<T>): void {
    const ended = feed.cache.run(feed.abort.signal).catch(this.#options.onFailure);
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
    void feed.cache.synced.then(() => this.#takeOver(feed));
  }

  async #takeOver(feed: Feed<T>): Promise<void> {
    if (this.#next === feed) {
      // The server may have listed a state that is older than what was told already.
      await reachedNewest(feed, this.cache.list());
      if (this.#next === feed) this.#adopt(feed);
    }
    this.#tellSynced(feed);
  }

  #adopt(feed: Feed<T>): void {
    const before = this.#current;
    this.#unfollow();
    this.#current = feed;
    this.#next = undefined;
    for (const object of before.cache.list()) {
      if (feed.cache.get(objectKey(object)) === undefined) this.#tell({ kind: 'deleted', object });
    }
    this.#follow(feed, before.cache);
    before.abort.abort();
  }

  // I2: while it is subscribed to, a cache tells all that it has; only what differs is passed on.
  #follow(feed: Feed<T>, before?: Cache<T>): void {
    let isReplay = true;
    this.#unfollow = feed.cache.subscribe((event) => {
      const news = isReplay ? changeSince(before, event) : event;
      if (news !== undefined) this.#tell(news);
    });
    isReplay = false;
  }

  // I3
  #tellSynced(feed: Feed<T>): void {
    if (this.#current !== feed) return;
    for (const waiter of this.#waiters) {
      if (!coversNeeds(feed.needs, waiter.needs)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #tell(event: CacheEvent<T>): void {
    for (const listener of this.#listeners) this.#call(listener, event);
  }

  #call(listener: CacheListener<T>, event: CacheEvent<T>): void {
    try {
      listener(event);
    } catch (error) {
      const fields = { resource: this.cache.type.plural, error: errorMessage(error) };
      this.#options.logger.error('A cache listener has thrown', fields);
    }
  }
}

/** Waits until the cache is as new as these objects are; not at all when it ends first. */
async function reachedNewest<T extends KubeObject>(
  { cache, abort }: Feed<T>,
  objects: readonly T[],
): Promise<void> {
  const versions = objects.map(({ metadata }) => Number(metadata.resourceVersion ?? 0));
  const newest = versions.reduce((most, version) => Math.max(most, version), 0);
  // Where versions are no numbers there is nothing to compare, so there is nothing to wait for.
  if (newest === 0 || Number.isNaN(newest)) return;
  await cache.reached(`${newest}`, abort.signal).catch(() => undefined);
}

function changeSince<T extends KubeObject>(
  before: Cache<T> | undefined,
  event: CacheEvent<T>,
): CacheEvent<T> | undefined {
  const { object } = event;
  const old = before?.get(objectKey(object));
  if (old === undefined) return event;
  const isSame = old.metadata.resourceVersion === object.metadata.resourceVersion;
  return isSame ? undefined : { kind: 'updated', object, old };
}
