import { assert, errorMessage, hasCode, type JsonObject } from '@fnlet/base';
import { HotValues } from './hot-values.ts';
import { KeptValue } from './kept-value.ts';
import { KeyIndex } from './key-index.ts';
import type { Ledger, LedgerChange, LedgerStart } from './ledger.ts';
import { limits } from './limits.ts';
import { LiveFeed } from './live-feed.ts';
import {
  type EncodedMutation,
  type PlannedChange,
  planWrites,
  type WritePlan,
} from './plan-writes.ts';
import type {
  Change,
  ChangeListener,
  ListOptions,
  Mutation,
  Page,
  Store,
  StoredObject,
} from './store.ts';
import { StoreError } from './store-error.ts';
import { WatchHub } from './watch-hub.ts';

interface PendingWrite {
  readonly mutations: readonly Mutation[];
  readonly encoded: readonly EncodedMutation[];
  resolve(revisions: readonly number[]): void;
  reject(error: unknown): void;
}

export interface LedgerStoreOptions {
  /** Changes to keep at least. Default `limits.historyMin`. */
  readonly historyMin?: number | undefined;
  /** Called once after the ledger is closed. */
  readonly onClosed?: (() => Promise<void>) | undefined;
}

/**
 * The one implementation of {@link Store}, over any ledger.
 *
 * Owns the counter, the key index, the order of writes and the watchers. One loop flushes: it takes
 * every write that waits, commits them together, and only then lets readers and watchers see them.
 *
 * I1. What readers see is exactly the state at `revision`: the index moves only after the commit,
 *     and texts are found by revision, so a ledger that shows a commit early does no harm.
 * I2. A change is published after every change before it, and before its write resolves.
 * I3. `#compacted` rises before the commit that forgets, so no reader meets a half-forgotten past.
 */
export class LedgerStore implements Store {
  readonly #ledger: Ledger;
  readonly #index: KeyIndex;
  readonly #hub = new WatchHub();
  readonly #hot = new HotValues();
  readonly #historyMin: number;
  readonly #onClosed: (() => Promise<void>) | undefined;
  #revision: number;
  #compacted: number;
  #pending: PendingWrite[] = [];
  #flushing: Promise<void> | undefined;
  #refusal: StoreError | undefined;
  #closing: Promise<void> | undefined;

  constructor(ledger: Ledger, options: LedgerStoreOptions) {
    this.#ledger = ledger;
    this.#historyMin = options.historyMin ?? limits.historyMin;
    this.#onClosed = options.onClosed;
    this.#revision = ledger.start.revision;
    this.#compacted = ledger.start.compacted;
    this.#index = new KeyIndex(ledger.start.keys);
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: string): StoredObject | undefined {
    this.#assertOpen();
    const revision = this.#index.revisionOf(key);
    if (revision === 0) return undefined;
    let kept = this.#hot.get(revision);
    if (kept === undefined) {
      kept = new KeptValue(this.#ledger.read(revision));
      this.#hot.put(revision, kept);
    }
    return new ReadObject(key, revision, kept);
  }

  revisionOf(key: string): number {
    this.#assertOpen();
    return this.#index.revisionOf(key);
  }

  keys(prefix: string): readonly string[] {
    this.#assertOpen();
    return this.#index.page(prefix, undefined, Number.POSITIVE_INFINITY).keys;
  }

  count(prefix: string): number {
    return this.#index.count(prefix);
  }

  /** What readers see now, as a ledger is opened with it. */
  state(): LedgerStart {
    this.#assertOpen();
    const keys = this.#index.entries();
    return { revision: this.#revision, compacted: this.#compacted, keys };
  }

  list(prefix: string, options: ListOptions = {}): Page {
    this.#assertOpen();
    const { after, limit = Number.POSITIVE_INFINITY, atRevision = this.#revision } = options;
    assert(limit > 0, 'a page has room for an object');
    if (atRevision !== this.#revision) {
      return this.#listPast(prefix, { after, limit, revision: atRevision });
    }
    const { keys, remaining } = this.#index.page(prefix, after, limit);
    const objects = keys.map((key) => this.#object(key, this.#index.revisionOf(key)));
    return { objects, revision: this.#revision, more: remaining > 0, remaining };
  }

  scan(prefix: string): Iterable<StoredObject> {
    this.#assertOpen();
    const start = this.#revision;
    const { keys } = this.#index.page(prefix, undefined, Number.POSITIVE_INFINITY);
    const revisions = keys.map((key) => this.#index.revisionOf(key));
    return this.#readEach(prefix, { start, keys, revisions });
  }

  *#readEach(
    prefix: string,
    at: { start: number; keys: readonly string[]; revisions: readonly number[] },
  ): Generator<StoredObject, void, undefined> {
    for (const [i, key] of at.keys.entries()) {
      this.#assertOpen();
      const revision = at.revisions[i] ?? 0;
      // What is still current is kept, however old; what was replaced, as long as the history is.
      if (this.#index.revisionOf(key) !== revision) this.#assertKept(`scan "${prefix}"`, at.start);
      yield this.#object(key, revision);
    }
  }

  #listPast(
    prefix: string,
    { after, limit, revision }: { after: string | undefined; limit: number; revision: number },
  ): Page {
    this.#assertKept(`list "${prefix}"`, revision);
    const revisions = this.#revisionsAt(prefix, revision);
    const keys = [...revisions.keys()]
      .filter((key) => (after === undefined || key > after) && revisions.get(key) !== 0)
      .sort();
    const objects = keys.slice(0, limit).map((key) => this.#object(key, revisions.get(key) ?? 0));
    const remaining = keys.length - objects.length;
    return { objects, revision, more: remaining > 0, remaining };
  }

  /** What each key had at `revision`: the previous of its first later change, else what it has. */
  #revisionsAt(prefix: string, revision: number): ReadonlyMap<string, number> {
    const current = this.#index.page(prefix, undefined, Number.POSITIVE_INFINITY).keys;
    const revisions = new Map(current.map((key) => [key, this.#index.revisionOf(key)]));
    const undone = new Set<string>();
    for (const { key, previous } of this.#changesBetween(revision, this.#revision)) {
      if (!key.startsWith(prefix) || undone.has(key)) continue;
      undone.add(key);
      revisions.set(key, previous);
    }
    return revisions;
  }

  *#changesBetween(after: number, upTo: number): Generator<LedgerChange, void, undefined> {
    let cursor = after;
    while (cursor < upTo) {
      const page = this.#ledger.changes(cursor, limits.replayPage);
      if (page.length === 0) return;
      for (const change of page) {
        // The ledger may already show a commit that is not published yet.
        if (change.revision > upTo) return;
        yield change;
        cursor = change.revision;
      }
    }
  }

  async write(mutations: readonly Mutation[]): Promise<readonly number[]> {
    this.#assertOpen();
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#pending.length >= limits.pendingWritesMax) throw tooManyWrites();
    const encoded = mutations.map(encodeMutation);
    assert(
      new Set(mutations.map(({ key }) => key)).size === mutations.length,
      'a write names each key once',
    );
    return new Promise((resolve, reject) => {
      this.#pending.push({ mutations, encoded, resolve, reject });
      this.#flushing ??= this.#flushPending();
    });
  }

  async #flushPending(): Promise<void> {
    // Writes of the same turn, and those that the last flush has just released, share a flush.
    await undefined;
    while (this.#pending.length > 0) {
      await this.#flush(takeWrites(this.#pending));
    }
    this.#flushing = undefined;
  }

  async #flush(writes: readonly PendingWrite[]): Promise<void> {
    try {
      if (this.#refusal !== undefined) throw this.#refusal;
      const plan = planWrites(
        writes.map(({ encoded }) => encoded),
        { revision: this.#revision, revisionOf: (key) => this.#index.revisionOf(key) },
      );
      if (plan.changes.length > 0) await this.#commit(plan.changes, plan.revision);
      this.#publish(writes, plan.changes);
      settle(writes, plan.outcomes);
    } catch (error) {
      // Anything but a full disk leaves open what is on it. After a failed flush the kernel may
      // even report later ones as good. So nothing more is believed.
      if (!hasCode(error, 'Full')) this.#refusal ??= toBroken(error);
      for (const write of writes) write.reject(error);
    }
  }

  async #commit(changes: readonly PlannedChange[], revision: number): Promise<void> {
    const dropped = this.#planCompaction();
    this.#compacted = dropped.at(-1)?.revision ?? this.#compacted;
    await this.#ledger.commit({ revision, compacted: this.#compacted, changes, dropped });
  }

  #planCompaction(): readonly LedgerChange[] {
    const excess = this.#revision - this.#compacted - this.#historyMin;
    if (excess < limits.compactionBatch) return [];
    return this.#ledger.changes(this.#compacted, limits.compactionBatch);
  }

  #publish(writes: readonly PendingWrite[], changes: readonly PlannedChange[]): void {
    for (const change of changes) {
      const { key, revision, previous, text } = change;
      if (change.deleted) this.#index.delete(key);
      else this.#index.set(key, revision);
      this.#revision = revision;
      const value = writes[change.write]?.mutations[change.mutation]?.value;
      const kept = text === undefined ? undefined : new KeptValue(text, value);
      const before = this.#hot.get(previous);
      this.#hub.publish(
        key,
        () => new CommittedChange(change, kept, before ?? this.#kept(previous)),
      );
      // An object that was read and changed will be read again.
      if (this.#hot.forget(previous) && kept !== undefined) this.#hot.put(revision, kept);
    }
  }

  watch(prefix: string, afterRevision: number, signal: AbortSignal): AsyncIterable<Change> {
    this.#assertOpen();
    const feed = new LiveFeed(prefix);
    const unsubscribe = this.#hub.subscribe(prefix, feed);
    const leave = (): void => {
      signal.removeEventListener('abort', leave);
      unsubscribe();
      feed.close();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const past = this.history(prefix, afterRevision);
    async function* read(): AsyncGenerator<Change, void, undefined> {
      try {
        for (const source of [past, feed]) {
          for await (const change of source) {
            if (signal.aborted) return;
            yield change;
          }
        }
      } finally {
        leave();
      }
    }
    return read();
  }

  subscribe(prefix: string, listener: ChangeListener): () => void {
    this.#assertOpen();
    return this.#hub.subscribe(prefix, listener);
  }

  history(prefix: string, afterRevision: number): AsyncIterable<Change> {
    return this.#replay(prefix, afterRevision, this.#revision);
  }

  async *#replay(
    prefix: string,
    after: number,
    upTo: number,
  ): AsyncGenerator<Change, void, undefined> {
    this.#assertKept(`watch "${prefix}"`, after);
    let cursor = after;
    while (cursor < upTo) {
      this.#assertKept(`watch "${prefix}"`, cursor);
      const page = [...this.#changesBetween(cursor, upTo).take(limits.replayPage)];
      const changes = page
        .filter(({ key }) => key.startsWith(prefix))
        .map((change) => this.#recall(change));
      cursor = page.at(-1)?.revision ?? upTo;
      yield* changes;
    }
  }

  #recall(change: LedgerChange): Change {
    const { revision, deleted, previous } = change;
    return new CommittedChange(change, this.#kept(deleted ? 0 : revision), this.#kept(previous));
  }

  #object(key: string, revision: number): StoredObject {
    return new ReadObject(key, revision, new KeptValue(this.#ledger.read(revision)));
  }

  /** What was written at `revision`; `undefined` at 0, where nothing was. */
  #kept(revision: number): KeptValue | undefined {
    return revision === 0 ? undefined : new KeptValue(this.#ledger.read(revision));
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw closedError();
  }

  #assertKept(action: string, revision: number): void {
    this.#assertOpen();
    if (revision > this.#revision) {
      throw new StoreError(
        'FutureRevision',
        `Cannot ${action} at revision ${revision}: the store is at ${this.#revision}, ` +
          'expected a revision that has been',
      );
    }
    if (revision >= this.#compacted) return;
    throw new StoreError(
      'Compacted',
      `Cannot ${action} at revision ${revision}: the history starts at ${this.#compacted}, ` +
        'expected a revision that is kept',
      { remedy: 'List again and continue from the revision of that list' },
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#flushing;
    this.#hub.close(closedError());
    await this.#ledger.close();
    await this.#onClosed?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

class ReadObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly #kept: KeptValue;

  constructor(key: string, revision: number, kept: KeptValue) {
    this.key = key;
    this.revision = revision;
    this.#kept = kept;
  }

  get value(): JsonObject {
    return this.#kept.value;
  }

  get text(): string {
    return this.#kept.text;
  }
}

class CommittedChange implements Change {
  readonly revision: number;
  readonly key: string;
  readonly #kept: KeptValue | undefined;
  readonly #previous: KeptValue | undefined;

  constructor(
    { revision, key }: LedgerChange,
    kept: KeptValue | undefined,
    previous: KeptValue | undefined,
  ) {
    this.revision = revision;
    this.key = key;
    this.#kept = kept;
    this.#previous = previous;
  }

  get value(): JsonObject | undefined {
    return this.#kept?.value;
  }

  get text(): string | undefined {
    return this.#kept?.text;
  }

  get previous(): JsonObject | undefined {
    return this.#previous?.value;
  }

  get previousText(): string | undefined {
    return this.#previous?.text;
  }
}

/** Takes writes from the front until one flush is full; at least one. */
function takeWrites(pending: PendingWrite[]): readonly PendingWrite[] {
  let mutations = 0;
  const beyond = pending.findIndex((write, i) => {
    mutations += write.mutations.length;
    return i > 0 && mutations > limits.flushMutationsMax;
  });
  return pending.splice(0, beyond < 0 ? pending.length : beyond);
}

function settle(writes: readonly PendingWrite[], outcomes: WritePlan['outcomes']): void {
  writes.forEach((write, i) => {
    const outcome = outcomes[i];
    if (outcome instanceof StoreError) write.reject(outcome);
    else write.resolve(outcome ?? []);
  });
}

function toBroken(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const found = errorMessage(error);
  return new StoreError('Broken', `Cannot write to the store: ${found}, expected a commit`, {
    cause: error,
    remedy: 'Start again',
  });
}

function encodeMutation({ key, value, text, expected }: Mutation): EncodedMutation {
  const bytes = Buffer.byteLength(key);
  if (bytes === 0 || bytes > limits.keyBytesMax) {
    throw new StoreError(
      'InvalidKey',
      `Cannot write "${key}": found a key of ${bytes} bytes, expected 1 to ${limits.keyBytesMax}`,
    );
  }
  return { key, text: value && (text ?? JSON.stringify(value)), expected };
}

function tooManyWrites(): StoreError {
  return new StoreError(
    'Full',
    `Cannot take the write: ${limits.pendingWritesMax} wait for the disk, expected fewer`,
    { retry: 'later', remedy: 'Try again when the disk has caught up' },
  );
}

function closedError(): StoreError {
  return new StoreError('Closed', 'Cannot use the store: found it closed, expected an open one');
}
