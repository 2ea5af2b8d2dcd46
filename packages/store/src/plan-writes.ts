import type { LedgerChange } from './ledger.ts';
import { StoreError } from './store-error.ts';

/** A mutation whose value is already text. */
export interface EncodedMutation {
  readonly key: string;
  readonly text: string | undefined;
  readonly expected: number | undefined;
}

/** A change to commit, and which mutation of which write asked for it. */
export interface PlannedChange extends LedgerChange {
  readonly text: string | undefined;
  readonly write: number;
  readonly mutation: number;
}

export interface WritePlan {
  readonly revision: number;
  readonly changes: readonly PlannedChange[];
  /** Per write: the revision of each mutation, or why nothing of it happens. */
  readonly outcomes: readonly (readonly number[] | StoreError)[];
}

/**
 * Numbers the mutations of several writes, one after the other. A write sees those before it; one
 * whose expectations do not hold leaves no trace. Deleting what is not there changes nothing and
 * takes no number.
 */
export function planWrites(
  writes: readonly (readonly EncodedMutation[])[],
  state: { readonly revision: number; readonly revisionOf: (key: string) => number },
): WritePlan {
  const planned = new Map<string, number>();
  const revisionOf = (key: string): number => planned.get(key) ?? state.revisionOf(key);
  const changes: PlannedChange[] = [];
  let { revision } = state;
  const outcomes = writes.map((mutations, write) => {
    const conflict = findConflict(mutations, revisionOf);
    if (conflict !== undefined) return conflict;
    return mutations.map(({ key, text }, mutation) => {
      const previous = revisionOf(key);
      const deleted = text === undefined;
      if (deleted && previous === 0) return revision;
      revision += 1;
      planned.set(key, deleted ? 0 : revision);
      changes.push({ revision, key, previous, deleted, text, write, mutation });
      return revision;
    });
  });
  return { revision, changes, outcomes };
}

function findConflict(
  mutations: readonly EncodedMutation[],
  revisionOf: (key: string) => number,
): StoreError | undefined {
  for (const { key, expected } of mutations) {
    const found = revisionOf(key);
    if (expected === undefined || expected === found) continue;
    return new StoreError(
      'Conflict',
      `Cannot write "${key}": found ${nameRevision(found)}, expected ${nameRevision(expected)}`,
      { key, remedy: 'Read the object again and repeat the change on what is there now' },
    );
  }
  return undefined;
}

function nameRevision(revision: number): string {
  return revision === 0 ? 'no object' : `revision ${revision}`;
}
