import { assert } from '@fnlet/base';
import type { Ledger, LedgerBatch, LedgerChange, LedgerStart } from './ledger.ts';

/** What a ledger in memory holds at one moment; it never changes. */
export interface LedgerSnapshot extends LedgerStart {
  readonly texts: ReadonlyMap<number, string>;
  readonly changes: readonly LedgerChange[];
}

/** A ledger that lives and dies with the process. */
export class MemoryLedger implements Ledger {
  readonly start: LedgerStart;
  readonly #texts: Map<number, string>;
  #changes: LedgerChange[];

  constructor(from?: LedgerSnapshot) {
    this.start = from ?? { revision: 1, compacted: 0, keys: [] };
    this.#texts = new Map(from?.texts);
    this.#changes = [...(from?.changes ?? [])];
  }

  /** What is held at `state`, which the store has published; texts are shared, not copied. */
  snapshot(state: LedgerStart): LedgerSnapshot {
    // A commit may be here that the store has not published yet.
    const changes = this.#changes.filter(({ revision }) => revision <= state.revision);
    return { ...state, texts: new Map(this.#texts), changes };
  }

  read(revision: number): string {
    const text = this.#texts.get(revision);
    assert(text !== undefined, `revision ${revision} is kept`);
    return text;
  }

  changes(revision: number, limit: number): readonly LedgerChange[] {
    const first = this.#changes.findLastIndex((change) => change.revision <= revision) + 1;
    return this.#changes.slice(first, first + limit);
  }

  async commit(batch: LedgerBatch): Promise<void> {
    for (const { text, ...change } of batch.changes) {
      if (text !== undefined) this.#texts.set(change.revision, text);
      this.#changes.push(change);
    }
    for (const { previous } of batch.dropped) this.#texts.delete(previous);
    if (batch.dropped.length > 0) this.#changes = this.#changes.slice(batch.dropped.length);
  }

  async close(): Promise<void> {
    this.#texts.clear();
    this.#changes = [];
  }
}
