/**
 * The keys that must be reconciled, each at most once in line and at most once in work.
 *
 * I1. One entry per key: the earliest time and the highest priority of all adds win. So a new event
 *     swallows a pending retry, and a burst of events becomes one run.
 * I2. A key in work is never handed out again before `done`; what is added meanwhile waits, so no
 *     change is missed and no key runs twice at once.
 * I3. Higher priority first; within a priority, first ready first out. Becoming ready (a delay
 *     that ends, a run that ends, a raised priority) counts as arriving.
 * I4. At most one timer, and none while nothing is delayed.
 * I5. Between two runs of a key begins never pass less than `intervalMs`, whatever asks for it.
 *     A debounce moves a run later only, never beyond `waitMaxMs` after the first event.
 *
 * The rules are those of client-go's workqueue and controller-runtime's priority queue; interval
 * and debounce are JOSDK's and kube-rs', the latter with the bound that keeps busy keys running.
 */
import { type BackoffOptions, backoffDelayMs, type Clock, type Timer } from '@fnlet/base';
import { retryBaseMs, retryCapMs } from './limits.ts';
import type { QueueObserver, QueueStats } from './queue-observer.ts';
import { RetryBucket, type RetryBucketOptions } from './retry-bucket.ts';
import type { RunCause } from './run-cause.ts';
import { type HeapItem, TimeHeap } from './time-heap.ts';

/** When, and before what, a key is to be run. */
export interface AddOptions {
  /**
   * Not before this long from now, in milliseconds, and not later for a debounce. Without it: an
   * event, as soon as the debounce allows.
   */
  readonly afterMs?: number | undefined;
  /** Higher goes first. Default 0. */
  readonly priority?: number | undefined;
  /** Told to whoever takes the key; of several, the last that was named. */
  readonly cause?: RunCause | undefined;
}

/** A key that was taken; it is in work until `done`. */
export interface WorkItem {
  readonly key: string;
  readonly priority: number;
  /** How many tries of this key failed in a row before this one. */
  readonly failures: number;
  /** Whether nothing but the last failure asked for this run. */
  readonly isRetry: boolean;
  /** What asked for it, as far as that was said. */
  readonly cause?: RunCause;
}

export interface WorkQueue {
  /** Keys that wait, now or later, without those in work. */
  readonly depth: number;
  stats(): QueueStats;
  /** Asks for a run of this key. Ignored once the queue is closed. */
  add(key: string, options?: AddOptions): void;
  /**
   * Asks for another run after a failure: its delay doubles with every failed try in a row. A run
   * that an event asked for is no further try of the same state: its failure repeats the delay.
   */
  retry(item: WorkItem): void;
  /** The key is well again: its next failure counts as the first. */
  forget(key: string): void;
  /** The next key, as soon as there is one; `undefined` once the queue is closed. */
  take(): Promise<WorkItem | undefined>;
  /** The next key if one is ready now. */
  tryTake(): WorkItem | undefined;
  /** The run of this key is over. Every taken key must be given back. */
  done(key: string): void;
  /** Takes no more keys, hands none out, wakes whoever waits in `take`. */
  close(): void;
  /** Closes, and waits until no key is in work; whether that was before `signal` aborted. */
  drain(signal: AbortSignal): Promise<boolean>;
}

/** How far apart the runs of one key are. */
export interface PaceOptions {
  /** At least so long between the starts of two runs of a key. Default 0. */
  readonly intervalMs?: number | undefined;
  /** An event waits until there was none for so long. Default: it does not wait. */
  readonly debounce?: { readonly quietMs: number; readonly waitMaxMs: number } | undefined;
}

export interface WorkQueueOptions extends PaceOptions {
  readonly clock: Clock;
  /** Delays between failures. Default 5 ms, doubling, at most 1000 s. */
  readonly backoff?: BackoffOptions | undefined;
  /** A bound on the retries of all keys together. Default: none. */
  readonly retryBucket?: RetryBucketOptions | undefined;
  readonly observer?: QueueObserver | undefined;
}

interface Entry extends HeapItem {
  readonly key: string;
  /** The earliest time that was named. */
  wantedMs: number;
  /** The first event that a debounce still holds, and until when. */
  quiet: { readonly firstMs: number; readonly untilMs: number } | undefined;
  dueMs: number;
  order: number;
  priority: number;
  isRetry: boolean;
  cause: RunCause | undefined;
  /** `parked`: ready, but its key is in work. */
  state: 'delayed' | 'ready' | 'parked';
}

/** An empty queue. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedQueue(options);
}

class KeyedQueue implements WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #bucket: RetryBucket | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #delayed = new TimeHeap<Entry>();
  // Insertion order of a Set is arrival order; there are as many sets as priorities in use.
  readonly #ready = new Map<number, Set<Entry>>();
  /** Keys in work, with when they were taken. */
  readonly #inWork = new Map<string, number>();
  /** When keys were taken last, oldest first; only where an interval makes it matter. */
  readonly #taken = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((item: WorkItem | undefined) => void)[] = [];
  readonly #idle = Promise.withResolvers<true>();
  #order = 0;
  #timer: { readonly dueMs: number; readonly handle: Timer } | undefined;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock;
    const { retryBucket } = options;
    this.#bucket = retryBucket === undefined ? undefined : new RetryBucket(retryBucket);
  }

  get depth(): number {
    return this.#entries.size;
  }

  stats(): QueueStats {
    const nowMs = this.#clock.monotonicMs();
    const lasted = [...this.#inWork.values()].map((sinceMs) => nowMs - sinceMs);
    return {
      depth: this.depth,
      running: lasted.length,
      longestRunningMs: lasted.reduce((most, ms) => Math.max(most, ms), 0),
      unfinishedMs: lasted.reduce((sum, ms) => sum + ms, 0),
    };
  }

  add(key: string, { afterMs, priority = 0, cause }: AddOptions = {}): void {
    if (this.#closed) return;
    const entry = this.#entries.get(key) ?? this.#insert(key, priority, false);
    entry.isRetry = false;
    // A later time is no reason for a run that something has asked for already.
    if (afterMs === undefined || entry.cause === undefined) entry.cause = cause ?? entry.cause;
    this.#raise(entry, priority);
    this.#want(entry, afterMs);
    this.#act();
  }

  retry(item: WorkItem): void {
    if (this.#closed) return;
    const { key, priority } = item;
    const { backoff = { baseMs: retryBaseMs, capMs: retryCapMs }, observer } = this.#options;
    const before = this.#failures.get(key) ?? 0;
    const failures = item.isRetry ? before + 1 : Math.max(1, before);
    this.#failures.set(key, failures);
    observer?.retried();
    const reservedMs = this.#bucket?.reserve(this.#clock.monotonicMs()) ?? 0;
    const entry = this.#entries.get(key) ?? this.#insert(key, priority, true);
    this.#raise(entry, priority);
    this.#want(entry, Math.max(backoffDelayMs(failures, backoff), reservedMs));
    this.#act();
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  take(): Promise<WorkItem | undefined> {
    const item = this.tryTake();
    if (item !== undefined || this.#closed) return Promise.resolve(item);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  tryTake(): WorkItem | undefined {
    const [entry] = this.#ready.get(Math.max(...this.#ready.keys())) ?? [];
    if (entry === undefined) return undefined;
    const { key, priority, isRetry, cause } = entry;
    this.#leaveLine(entry);
    this.#entries.delete(key);
    const nowMs = this.#clock.monotonicMs();
    this.#inWork.set(key, nowMs);
    this.#noteTaken(key, nowMs);
    this.#options.observer?.taken(nowMs - entry.dueMs);
    const item = { key, priority, isRetry, failures: this.#failures.get(key) ?? 0 };
    return cause === undefined ? item : { ...item, cause };
  }

  done(key: string): void {
    const sinceMs = this.#inWork.get(key);
    if (sinceMs === undefined) return;
    this.#inWork.delete(key);
    this.#options.observer?.finished(this.#clock.monotonicMs() - sinceMs);
    const entry = this.#entries.get(key);
    if (entry?.state === 'parked') this.#makeReady(entry);
    this.#act();
    this.#tellIdle();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.handle.cancel();
    this.#timer = undefined;
    this.#entries.clear();
    this.#ready.clear();
    for (const resolve of this.#takers.splice(0)) resolve(undefined);
    this.#tellIdle();
  }

  async drain(signal: AbortSignal): Promise<boolean> {
    this.close();
    const aborted = Promise.withResolvers<false>();
    const onAbort = (): void => aborted.resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const isIdle = await Promise.race([this.#idle.promise, aborted.promise]);
    signal.removeEventListener('abort', onAbort);
    return isIdle;
  }

  #tellIdle(): void {
    if (this.#closed && this.#inWork.size === 0) this.#idle.resolve(true);
  }

  #insert(key: string, priority: number, isRetry: boolean): Entry {
    const entry: Entry = {
      key,
      wantedMs: Number.POSITIVE_INFINITY,
      quiet: undefined,
      dueMs: Number.POSITIVE_INFINITY,
      order: this.#order++,
      priority,
      isRetry,
      cause: undefined,
      state: 'delayed',
      heapIndex: -1,
    };
    this.#entries.set(key, entry);
    this.#delayed.push(entry);
    this.#options.observer?.added();
    return entry;
  }

  // I1, I3
  #raise(entry: Entry, priority: number): void {
    if (priority <= entry.priority) return;
    if (entry.state === 'ready') this.#leaveLine(entry);
    entry.priority = priority;
    if (entry.state === 'ready') this.#makeReady(entry);
  }

  // I1, I5: what is ready already cannot be put off any more.
  #want(entry: Entry, afterMs: number | undefined): void {
    if (entry.state !== 'delayed') return;
    const { debounce, intervalMs = 0 } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    if (afterMs === undefined && debounce !== undefined) {
      const firstMs = entry.quiet?.firstMs ?? nowMs;
      const untilMs = Math.min(nowMs + debounce.quietMs, firstMs + debounce.waitMaxMs);
      entry.quiet = { firstMs, untilMs };
    } else {
      entry.wantedMs = Math.min(entry.wantedMs, nowMs + Math.max(0, afterMs ?? 0));
    }
    const wantedMs = Math.min(entry.wantedMs, entry.quiet?.untilMs ?? Number.POSITIVE_INFINITY);
    const takenMs = this.#taken.get(entry.key) ?? Number.NEGATIVE_INFINITY;
    const dueMs = Math.max(wantedMs, takenMs + intervalMs);
    if (dueMs === entry.dueMs) return;
    this.#delayed.remove(entry);
    entry.dueMs = dueMs;
    entry.order = this.#order++;
    this.#delayed.push(entry);
  }

  // I5: only as much is remembered as still matters.
  #noteTaken(key: string, nowMs: number): void {
    const { intervalMs = 0 } = this.#options;
    if (intervalMs === 0) return;
    this.#taken.delete(key);
    this.#taken.set(key, nowMs);
    for (const [oldest, takenMs] of this.#taken) {
      if (takenMs + intervalMs > nowMs) return;
      this.#taken.delete(oldest);
    }
  }

  // I3: whatever is due joins its line in the order in which it became due.
  #makeReady(entry: Entry): void {
    if (this.#inWork.has(entry.key)) {
      entry.state = 'parked';
      return;
    }
    entry.state = 'ready';
    const line = this.#ready.get(entry.priority);
    if (line === undefined) this.#ready.set(entry.priority, new Set([entry]));
    else line.add(entry);
  }

  #leaveLine(entry: Entry): void {
    const line = this.#ready.get(entry.priority);
    line?.delete(entry);
    if (line?.size === 0) this.#ready.delete(entry.priority);
  }

  #act(): void {
    const nowMs = this.#clock.monotonicMs();
    for (let due = this.#delayed.first(); due && due.dueMs <= nowMs; due = this.#delayed.first()) {
      this.#delayed.remove(due);
      this.#makeReady(due);
    }
    while (this.#takers.length > 0 && this.#ready.size > 0) this.#takers.shift()?.(this.tryTake());
    this.#schedule();
  }

  // I4
  #schedule(): void {
    const dueMs = this.#delayed.first()?.dueMs;
    if (this.#closed || dueMs === this.#timer?.dueMs) return;
    this.#timer?.handle.cancel();
    this.#timer = undefined;
    if (dueMs === undefined) return;
    const handle = this.#clock.after(Math.max(0, dueMs - this.#clock.monotonicMs()), () => {
      this.#timer = undefined;
      this.#act();
    });
    this.#timer = { dueMs, handle };
  }
}
