import type { Clock } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import type { Change, ChangeListener, Store } from '@fnlet/store';
import { collectionPrefix } from '../object/object-keys.ts';
import type { Pin, Selection } from '../object/selection.ts';
import type { Resource } from '../resource/resource.ts';
import { Deadlines } from './deadlines.ts';
import { FanOut } from './fan-out.ts';
import { SharedChange } from './shared-change.ts';

/** One watch, as the feed knows it. */
export interface FeedWatcher {
  readonly selection: Selection;
  /** Called in the turn of the change; it must neither throw nor wait. */
  changed(change: SharedChange): void;
  /** Nothing more will come: the store has closed. */
  ended(error: Error): void;
  /** Nothing more is wanted: the server closes, or serves the resource in another way. */
  close(): void;
}

/** Watches that ask for the same thing: all in one namespace, say, or those of one name. */
interface Probe {
  readonly isScoped: boolean;
  readonly pin: Pin | undefined;
  /** By what the probe reads from an object. */
  readonly watchers: Map<string, Set<FeedWatcher>>;
}

/**
 * Hands the changes of one resource to its watches. A change costs what the watches cost that it
 * can concern: who watches one name, one namespace or one value of a label is found by it, so that
 * a thousand others do not slow a write down.
 *
 * I1. A watcher is in exactly one bucket of one probe, and sees a change at most once.
 * I2. The feed listens to the store while somebody watches, and no longer.
 */
export class KindFeed implements ChangeListener {
  readonly #store: Store;
  readonly #resource: Resource;
  readonly #prefix: string;
  readonly #probes = new Map<string, Probe>();
  #leaveStore: (() => void) | undefined;

  constructor(store: Store, resource: Resource) {
    this.#store = store;
    this.#resource = resource;
    this.#prefix = collectionPrefix(resource.strategy);
  }

  /** Changes from now on, until it leaves. */
  join(watcher: FeedWatcher): void {
    const { namespace, pin } = watcher.selection;
    const id = probeOf(watcher.selection);
    const probe = this.#probes.get(id) ?? { isScoped: namespace !== '', pin, watchers: new Map() };
    this.#probes.set(id, probe);
    const place = placeOf(namespace, pin?.value);
    const bucket = probe.watchers.get(place) ?? new Set();
    probe.watchers.set(place, bucket.add(watcher));
    this.#leaveStore ??= this.#store.subscribe(this.#prefix, this);
  }

  /** Nothing for one that has left, or never came. */
  leave(watcher: FeedWatcher): void {
    const { namespace, pin } = watcher.selection;
    const id = probeOf(watcher.selection);
    const probe = this.#probes.get(id);
    const place = placeOf(namespace, pin?.value);
    const bucket = probe?.watchers.get(place);
    if (probe === undefined || bucket?.delete(watcher) !== true) return;
    if (bucket.size === 0) probe.watchers.delete(place);
    if (probe.watchers.size === 0) this.#probes.delete(id);
    if (this.#probes.size > 0) return;
    this.#leaveStore?.();
    this.#leaveStore = undefined;
  }

  changed(change: Change): void {
    const shared = new SharedChange(this.#resource, change);
    const { name } = shared;
    const key = { namespace: change.key.slice(this.#prefix.length, -name.length - 1), name };
    for (const probe of this.#probes.values()) {
      for (const place of placesOf(probe, key, shared)) {
        for (const watcher of probe.watchers.get(place) ?? []) watcher.changed(shared);
      }
    }
  }

  ended(error: Error): void {
    for (const watcher of this.#watchers()) watcher.ended(error);
  }

  /** Ends all watches. */
  close(): void {
    for (const watcher of this.#watchers()) watcher.close();
  }

  #watchers(): readonly FeedWatcher[] {
    const buckets = [...this.#probes.values()].flatMap(({ watchers }) => [...watchers.values()]);
    return buckets.flatMap((bucket) => [...bucket]);
  }
}

/** Watches of the same probe read the same from an object. */
function probeOf({ namespace, pin }: Selection): string {
  return `${namespace !== ''} ${pin?.id ?? ''}`;
}

function placeOf(namespace: string, value: string | undefined): string {
  return `${namespace}/${value ?? ''}`;
}

/**
 * Where the object was and where it is now, as a probe reads it: one place or two. Its key tells
 * the namespace and the name; the object is looked into for the rest only.
 */
function placesOf(
  { isScoped, pin }: Probe,
  { namespace, name }: ObjectKey,
  change: SharedChange,
): Iterable<string> {
  const scope = isScoped ? namespace : '';
  if (pin === undefined) return [placeOf(scope, undefined)];
  if (pin.isName) return [placeOf(scope, name)];
  const places = new Set<string>();
  for (const kept of [change.before, change.after]) {
    if (kept !== undefined) places.add(placeOf(scope, pin.read(kept.value)));
  }
  return places;
}

/** The feeds of all resources that were ever watched, and every watch that is open. */
export class KindFeeds {
  /** Shared by all watches, so that their events leave in the order of the changes. */
  readonly fanOut: FanOut = new FanOut();
  /** When watches end, and tell how far they are. */
  readonly deadlines: Deadlines;
  readonly #feeds = new WeakMap<Resource, KindFeed>();
  readonly #open = new Set<FeedWatcher>();
  readonly #store: Store;
  #isClosed = false;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.deadlines = new Deadlines(clock);
  }

  /** Changes of the resource from now on, until it leaves. */
  join(resource: Resource, watcher: FeedWatcher): void {
    if (this.#isClosed) {
      watcher.close();
      return;
    }
    this.#feedOf(resource).join(watcher);
    this.#open.add(watcher);
  }

  /** Nothing for one that has left, or never came. */
  leave(resource: Resource, watcher: FeedWatcher): void {
    this.#open.delete(watcher);
    this.#feeds.get(resource)?.leave(watcher);
  }

  /** Ends the watches of a resource; who still wants to know begins anew. */
  retire(resource: Resource): void {
    this.#feeds.get(resource)?.close();
  }

  /** Ends every watch, and those that come yet. */
  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#open) watcher.close();
  }

  #feedOf(resource: Resource): KindFeed {
    const known = this.#feeds.get(resource);
    if (known !== undefined) return known;
    const feed = new KindFeed(this.#store, resource);
    this.#feeds.set(resource, feed);
    return feed;
  }
}
