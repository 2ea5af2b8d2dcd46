import type { JsonObject } from '@fnlet/base';

/** An object as the store keeps it. */
export interface StoredObject {
  readonly key: string;
  /** The store's counter at this object's last write. */
  readonly revision: number;
  /** Parsed at first use. Never mutate it: it may be shared with other readers. */
  readonly value: JsonObject;
  /** The JSON text of `value`, as it is kept; cheaper than to format the value again. */
  readonly text: string;
}

/** What a write does to one key. */
export interface Mutation {
  readonly key: string;
  /** The new value; `undefined` deletes. Deleting what is not there changes nothing. */
  readonly value: JsonObject | undefined;
  /** The JSON text of `value`, from who has it already. Default: the store writes it out. */
  readonly text?: string | undefined;
  /**
   * What must be there for the write to happen: the revision of the current object, 0 for "no
   * object", `undefined` for anything. Everything in one write happens, or nothing does.
   */
  readonly expected: number | undefined;
}

/** One committed change, in the order of `revision`. */
export interface Change {
  readonly revision: number;
  readonly key: string;
  /** The object after the change; `undefined` when it was deleted. */
  readonly value: JsonObject | undefined;
  /** The JSON text of `value`. */
  readonly text: string | undefined;
  /** The object before the change, parsed at first use; `undefined` when it was created. */
  readonly previous: JsonObject | undefined;
  /** The JSON text of `previous`. */
  readonly previousText: string | undefined;
}

/** Who is told about changes. */
export interface ChangeListener {
  /** Called in the turn in which readers first see the change. It must neither throw nor wait. */
  changed(change: Change): void;
  /** The store has closed: nothing more will come. */
  ended(error: Error): void;
}

/** A page of a list. */
export interface Page {
  readonly objects: readonly StoredObject[];
  /** The store's revision that this page shows. */
  readonly revision: number;
  /** Whether objects with larger keys follow under the prefix. */
  readonly more: boolean;
  /** How many objects follow after this page. */
  readonly remaining: number;
}

export interface ListOptions {
  /** Only keys greater than this one. */
  readonly after?: string | undefined;
  /** At most so many objects; `undefined` for all. */
  readonly limit?: number | undefined;
  /** The state at this revision instead of the current one. */
  readonly atRevision?: number | undefined;
}

/**
 * Revisioned objects under string keys, and the log of their changes.
 *
 * I1. One counter, `revision`, numbers all writes of a store; every mutation takes the next number,
 *     and it never goes back, also not across a crash and restart.
 * I2. When `write` has resolved, the change survives `kill -9` and power loss (durable stores).
 * I3. Readers see a write only after it is committed, and changes arrive at watchers in order of
 *     revision, without gaps.
 * I4. The log keeps at least the last `historyMin` changes; older ones may be compacted away.
 *
 * Errors: `StoreError`, its codes tell all of them.
 */
export interface Store extends AsyncDisposable {
  /** The number of the last committed change; at least 1 even in an empty store. */
  readonly revision: number;
  get(key: string): StoredObject | undefined;
  /** The revision of the object under `key`, which is not read for it; 0 when there is none. */
  revisionOf(key: string): number;
  /** Objects whose keys start with `prefix`, in key order (code units). */
  list(prefix: string, options?: ListOptions): Page;
  /**
   * The state at the moment of the call, as `list` shows it, but read while it is consumed: keys
   * wait in memory, objects do not. Ends with `StoreError` `Compacted` when the reader takes so long
   * that the log has forgotten an object that was replaced meanwhile.
   */
  scan(prefix: string): Iterable<StoredObject>;
  /** The keys that start with `prefix`, in order; no object is read for it. */
  keys(prefix: string): readonly string[];
  /** How many objects have keys that start with `prefix`. */
  count(prefix: string): number;
  /**
   * Commits all mutations, or none; a key may stand in one of them only. Resolves once they are
   * durable, with the revision of each. Concurrent writes are grouped into one flush.
   */
  write(mutations: readonly Mutation[]): Promise<readonly number[]>;
  /**
   * Every change under `prefix` after `afterRevision`, history first, then live, until `signal`
   * aborts. Ends with `StoreError` `Compacted` when the start is gone, and with `SlowWatcher` when
   * the reader falls more than the bound behind.
   */
  watch(prefix: string, afterRevision: number, signal: AbortSignal): AsyncIterable<Change>;
  /**
   * Tells `listener` of every change under `prefix` from now on, in order, until the returned
   * function is called: for one who hands changes on to many.
   */
  subscribe(prefix: string, listener: ChangeListener): () => void;
  /**
   * The changes under `prefix` after `afterRevision` and up to the moment of the call, read while
   * they are consumed. Ends with `StoreError` `Compacted` when the log has forgotten some of them.
   */
  history(prefix: string, afterRevision: number): AsyncIterable<Change>;
  close(): Promise<void>;
}
