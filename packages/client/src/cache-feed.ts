import { formatObjectKey, type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import { isOlderVersion } from './resource-version.ts';
import { TransportError } from './transport-error.ts';
import type { WatcherEvent } from './watcher-state.ts';

/** What a feed does to the objects that it feeds. */
export interface FedObjects<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(namespace?: string): readonly T[];
  /** Puts the object in, unless a newer one is there. */
  take(object: T): void;
  remove(object: T): void;
}

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
}

/**
 * What one watch has told to a cache: of one namespace, or of all.
 *
 * I1. `#version` is the newest version up to which the watch has told everything. While all objects
 *     are read anew they come in any order, so it stands still until their end.
 * I2. While they are read anew, the old ones stay readable. `#untold` holds those that were not
 *     told again: at the end they are removed, unless they are newer than the new state.
 */
export class CacheFeed<T extends KubeObject> {
  readonly namespace: string | undefined;
  /** Resolves when the server's state has been told for the first time. */
  readonly synced: Promise<void>;
  readonly #objects: FedObjects<T>;
  readonly #resolveSynced: () => void;
  readonly #waiters = new Set<Waiter>();
  #version: string | undefined;
  /** The keys not told since the restart; `undefined` while nothing is read anew. */
  #untold: Set<string> | undefined;
  #starts = 0;
  #opened = 0;
  #bookmarks = 0;

  constructor(namespace: string | undefined, objects: FedObjects<T>) {
    this.namespace = namespace;
    this.#objects = objects;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#resolveSynced = resolve;
  }

  /** How often all objects were read anew after the first time. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** How often a watch was opened after the first time. */
  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  get bookmarks(): number {
    return this.#bookmarks;
  }

  /** A watch is being opened. */
  opened(): void {
    this.#opened += 1;
  }

  follow(event: WatcherEvent<T>): void {
    switch (event.kind) {
      case 'restarted':
        this.#starts += 1;
        this.#untold = new Set(this.#objects.list(this.namespace).map(keyOf));
        return;
      case 'applied':
        this.#untold?.delete(keyOf(event.object));
        this.#objects.take(event.object);
        this.#advance(event.object.metadata.resourceVersion);
        return;
      case 'deleted':
        this.#drop(event.object);
        this.#advance(event.object.metadata.resourceVersion);
        return;
      case 'progressed':
        this.#bookmarks += 1;
        this.#advance(event.resourceVersion);
        return;
      case 'synced':
        this.#sweep(event.resourceVersion);
        this.#advance(event.resourceVersion);
        this.#resolveSynced();
    }
  }

  /** Takes the answer of a write, if it is news: else a deletion that was told could be undone. */
  observe(object: T): void {
    const { resourceVersion } = object.metadata;
    if (this.#version !== undefined && !isOlderVersion(this.#version, resourceVersion)) return;
    // What is there has been told, or is waiting for it already.
    if (this.#objects.get(objectKey(object)) === undefined) this.#untold?.add(keyOf(object));
    this.#objects.take(object);
  }

  /** Resolves when the watch has told everything up to `version`. */
  reached(version: string, signal: AbortSignal): Promise<void> {
    if (this.#version === version || isOlderVersion(version, this.#version)) {
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        const found = this.#version ?? 'none yet';
        const message = `Cannot wait for version ${version}: aborted, found version ${found}`;
        reject(new TransportError('Aborted', message));
      };
      const onReached = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter: Waiter = { version, resolve: onReached };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  #advance(version: string | undefined): void {
    if (this.#untold !== undefined || version === undefined) return;
    this.#version = version;
    for (const waiter of this.#waiters) {
      // Versions that are not numbers have no order: then whatever is told next has to do.
      if (isOlderVersion(version, waiter.version)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #drop(object: T): void {
    const known = this.#objects.get(objectKey(object));
    if (known === undefined) return;
    if (isOlderVersion(object.metadata.resourceVersion, known.metadata.resourceVersion)) return;
    this.#objects.remove(known);
  }

  #sweep(version: string): void {
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold === undefined || untold.size === 0) return;
    for (const object of this.#objects.list(this.namespace)) {
      const isNewer = isOlderVersion(version, object.metadata.resourceVersion);
      if (untold.has(keyOf(object)) && !isNewer) this.#objects.remove(object);
    }
  }
}

function keyOf(object: KubeObject): string {
  return formatObjectKey(objectKey(object));
}
