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
 *
 * The rules are those of client-go's workqueue and controller-runtime's priority queue.
 */
import { type BackoffOptions, backoffDelayMs, type Clock, type Timer } from '@fnlet/base';
import { retryBaseMs, retryCapMs } from './limits.ts';
import { type HeapItem, TimeHeap } from './time-heap.ts';

/** When, and before what, a key is to be run. */
export interface AddOptions {
  /** Not before this long from now, in milliseconds. Default 0. */
  readonly afterMs?: number | undefined;
  /** Higher goes first. Default 0. */
  readonly priority?: number | undefined;
}

/** A key that was taken; it is in work until `done`. */
export interface WorkItem {
  readonly key: string;
  readonly priority: number;
  /** How many runs of this key failed in a row before this one. */
  readonly failures: number;
}

export interface WorkQueue {
  /** Keys that wait, now or later, without those in work. */
  readonly depth: number;
  /** Asks for a run of this key. Ignored once the queue is closed. */
  add(key: string, options?: AddOptions): void;
  /** Asks for another run after a failure: its delay doubles with every failure in a row. */
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
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Delays between failures. Default 5 ms, doubling, at most 1000 s. */
  readonly backoff?: BackoffOptions;
}

interface Entry extends HeapItem {
  readonly key: string;
  dueMs: number;
  order: number;
  priority: number;
  /** `parked`: ready, but its key is in work. */
  state: 'delayed' | 'ready' | 'parked';
}

/** An empty queue. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedQueue(options);
}

class KeyedQueue implements WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: BackoffOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #delayed = new TimeHeap<Entry>();
  // Insertion order of a Set is arrival order; there are as many sets as priorities in use.
  readonly #ready = new Map<number, Set<Entry>>();
  readonly #inWork = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((item: WorkItem | undefined) => void)[] = [];
  #order = 0;
  #timer: { readonly dueMs: number; readonly handle: Timer } | undefined;
  #closed = false;

  constructor({ clock, backoff }: WorkQueueOptions) {
    this.#clock = clock;
    this.#backoff = backoff ?? { baseMs: retryBaseMs, capMs: retryCapMs };
  }

  get depth(): number {
    return this.#entries.size;
  }

  add(key: string, { afterMs = 0, priority = 0 }: AddOptions = {}): void {
    if (this.#closed) return;
    const dueMs = this.#clock.monotonicMs() + Math.max(0, afterMs);
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#insert(key, dueMs, priority);
    else this.#merge(entry, dueMs, priority);
    this.#act();
  }

  retry({ key, priority }: WorkItem): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.add(key, { afterMs: backoffDelayMs(failures, this.#backoff), priority });
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
    const { key, priority } = entry;
    this.#leaveLine(entry);
    this.#entries.delete(key);
    this.#inWork.add(key);
    return { key, priority, failures: this.#failures.get(key) ?? 0 };
  }

  done(key: string): void {
    this.#inWork.delete(key);
    const entry = this.#entries.get(key);
    if (entry?.state === 'parked') this.#makeReady(entry);
    this.#act();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.handle.cancel();
    this.#timer = undefined;
    this.#entries.clear();
    this.#ready.clear();
    for (const resolve of this.#takers.splice(0)) resolve(undefined);
  }

  #insert(key: string, dueMs: number, priority: number): void {
    const entry: Entry = {
      key,
      dueMs,
      order: this.#order++,
      priority,
      state: 'delayed',
      heapIndex: -1,
    };
    this.#entries.set(key, entry);
    this.#delayed.push(entry);
  }

  // I1: the earliest time and the highest priority win.
  #merge(entry: Entry, dueMs: number, priority: number): void {
    const isRaised = priority > entry.priority;
    if (entry.state === 'ready' && isRaised) {
      this.#leaveLine(entry);
      entry.priority = priority;
      this.#makeReady(entry);
      return;
    }
    if (isRaised) entry.priority = priority;
    if (entry.state !== 'delayed' || dueMs >= entry.dueMs) return;
    this.#delayed.remove(entry);
    entry.dueMs = dueMs;
    entry.order = this.#order++;
    this.#delayed.push(entry);
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
