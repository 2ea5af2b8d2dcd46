/**
 * What is remembered of children between runs, so that the next one need not write. Losing it costs
 * at most one apply per child, see decide-write.ts.
 *
 * I1. At most `rememberedPrimariesMax` primaries are remembered, those that ran last.
 * I2. What belongs to a primary goes with it: `forget` when it is gone.
 */
import type { FieldSet } from '@fnlet/machinery';
import type { BreakerState } from './breaker.ts';
import { rememberedPrimariesMax } from './limits.ts';
import { RecentMap } from './recent-map.ts';

/** An object as it was when it was last known to be as desired. */
export interface Applied {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  /** Digest of what was asked for. */
  readonly intent: string;
  /** What the applier owned then. */
  readonly fields: FieldSet;
  /**
   * Digests of owned parts that are as good as what was asked for: as the server answered, and as a
   * reader saw the same version if that keeps less of it.
   */
  readonly forms: readonly string[];
}

/** What is remembered of one child; it outlives the object, for who is deleted comes back. */
export interface ChildRecord {
  readonly applied?: Applied;
  readonly breaker?: BreakerState;
  /** Who fights, in words, as it was found out while the breaker was open until then. */
  readonly rival?: { readonly untilMs: number; readonly text: string };
  /** The object that was told to go. */
  readonly prunedUid?: string;
}

/** Records by the primary's uid and the child's identity. */
export class ApplyMemory {
  readonly #primaries = new RecentMap<Map<string, ChildRecord>>(rememberedPrimariesMax);

  get(primaryUid: string, child: string): ChildRecord | undefined {
    return this.#primaries.get(primaryUid)?.get(child);
  }

  set(primaryUid: string, child: string, record: ChildRecord): void {
    const records = this.#primaries.get(primaryUid) ?? new Map<string, ChildRecord>();
    this.#primaries.set(primaryUid, records.set(child, record));
  }

  /** Forgets the children that a primary no longer has. */
  retain(primaryUid: string, children: ReadonlySet<string>): void {
    const records = this.#primaries.get(primaryUid);
    for (const child of records?.keys() ?? []) {
      if (!children.has(child)) records?.delete(child);
    }
  }

  forget(primaryUid: string): void {
    this.#primaries.delete(primaryUid);
  }
}
