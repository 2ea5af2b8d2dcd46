import { assert } from '@fnlet/base';
import type { Ledger, LedgerBatch, LedgerChange, LedgerStart } from './ledger.ts';

/** A ledger that lives and dies with the process. */
export class MemoryLedger implements Ledger {
  readonly start: LedgerStart = { revision: 1, compacted: 0, keys: [] };
  readonly #texts = new Map<number, string>();
  #changes: LedgerChange[] = [];

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
