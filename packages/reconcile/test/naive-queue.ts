import type { PaceOptions } from '../src/work-queue.ts';

interface NaiveEntry {
  readonly key: string;
  /** Every time that was named, and of every event when it came. */
  readonly wantedMs: number[];
  readonly eventsMs: number[];
  isRetry: boolean;
  priority: number;
  dueMs: number;
  order: number;
  arrival?: number;
}

/** The queue as a list that is searched: slow, and plainly right. */
export class NaiveQueue {
  entries: NaiveEntry[] = [];
  readonly inWork: Set<string> = new Set();
  readonly failures: Map<string, number> = new Map();
  readonly #takenMs = new Map<string, number>();
  readonly #pace: PaceOptions;
  #count = 0;

  constructor(pace: PaceOptions) {
    this.#pace = pace;
  }

  add(key: string, priority: number, about: { nowMs: number; afterMs?: number | undefined }): void {
    const entry = this.#entry(key, priority, false);
    entry.isRetry = false;
    this.#want(entry, about);
  }

  retry(key: string, isRetry: boolean, nowMs: number): void {
    const before = this.failures.get(key) ?? 0;
    const failures = isRetry ? before + 1 : Math.max(before, 1);
    this.failures.set(key, failures);
    const afterMs = Math.min(5 * 2 ** (failures - 1), 1_000_000);
    this.#want(this.#entry(key, 0, true), { nowMs, afterMs });
  }

  /** Every entry that is due and whose key is free arrives, in the order in which it became due. */
  settle(nowMs: number): void {
    const arriving = this.entries
      .filter((entry) => entry.arrival === undefined && entry.dueMs <= nowMs)
      .filter((entry) => !this.inWork.has(entry.key))
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    for (const entry of arriving) entry.arrival = this.#count++;
  }

  take(nowMs: number): { key: string; isRetry: boolean; failures: number } | undefined {
    const [entry] = this.entries
      .filter((candidate) => candidate.arrival !== undefined)
      .sort((a, b) => b.priority - a.priority || (a.arrival ?? 0) - (b.arrival ?? 0));
    if (entry === undefined) return undefined;
    const { key, isRetry } = entry;
    this.entries = this.entries.filter((candidate) => candidate !== entry);
    this.inWork.add(key);
    this.#takenMs.set(key, nowMs);
    return { key, isRetry, failures: this.failures.get(key) ?? 0 };
  }

  #entry(key: string, priority: number, isRetry: boolean): NaiveEntry {
    const known = this.entries.find((candidate) => candidate.key === key);
    if (known !== undefined) {
      if (priority > known.priority && known.arrival !== undefined) known.arrival = this.#count++;
      known.priority = Math.max(known.priority, priority);
      return known;
    }
    const dueMs = Number.POSITIVE_INFINITY;
    const entry = { key, wantedMs: [], eventsMs: [], isRetry, priority, dueMs, order: 0 };
    this.entries.push(entry);
    return entry;
  }

  #want(entry: NaiveEntry, about: { nowMs: number; afterMs?: number | undefined }): void {
    const { nowMs, afterMs } = about;
    if (entry.dueMs <= nowMs) return;
    const { debounce, intervalMs = 0 } = this.#pace;
    if (afterMs === undefined && debounce !== undefined) entry.eventsMs.push(nowMs);
    else entry.wantedMs.push(nowMs + (afterMs ?? 0));
    const [firstMs, lastMs] = [entry.eventsMs[0], entry.eventsMs.at(-1)];
    const times = [...entry.wantedMs];
    if (debounce !== undefined && firstMs !== undefined && lastMs !== undefined) {
      times.push(Math.min(lastMs + debounce.quietMs, firstMs + debounce.waitMaxMs));
    }
    const takenMs = this.#takenMs.get(entry.key) ?? Number.NEGATIVE_INFINITY;
    const dueMs = Math.max(Math.min(...times), takenMs + intervalMs);
    if (dueMs !== entry.dueMs) Object.assign(entry, { dueMs, order: this.#count++ });
  }
}
