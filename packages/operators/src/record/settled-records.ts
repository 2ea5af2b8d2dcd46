/**
 * What an operator was done with, so that a start of the hub runs nothing that was settled.
 *
 * I1. A record is about a world that the function has answered about, with nothing to be done, or
 *     nothing that was not done: whatever changed since has another version.
 * I2. Records hold for one version of an operator: for the code of its function, and its spec.
 */
import type { PendingWrites } from './pending-writes.ts';
import { settledDigest } from './settled-page.ts';
import type { SettledPages, SettledPlace } from './settled-pages.ts';

/** A state of the world, as far as it concerns an object. */
export interface SettledWorld {
  /** Of the object. */
  readonly resourceVersion: string;
  /** Digest of the versions of all else that the function was sent. */
  readonly seen: string;
}

/** The settled objects of one operator, by uid. */
export interface SettledRecords {
  /** Waits until what others have written is known; `false`: it cannot be, so run. */
  isFresh(): Promise<boolean>;
  /**
   * Whether the object was settled in this very world: then until when, in milliseconds since the
   * epoch; infinity where it is not due by itself. `undefined`: it was not.
   */
  dueMs(uid: string, world: SettledWorld): number | undefined;
  put(uid: string, world: SettledWorld, dueMs?: number): void;
  delete(uid: string): void;
  /** From now on records are about another version. */
  reset(version: string): void;
}

/** The records of an operator as they were left, as far as they are about this version of it. */
export function openSettledRecords(
  pages: SettledPages,
  operatorUid: string,
  version: string,
): SettledRecords {
  let current = version;
  pages.turnTo(operatorUid, version);
  const placeOf = (uid: string): SettledPlace => ({ operatorUid, version: current, uid });
  return {
    isFresh: () => pages.isFresh(),
    dueMs(uid, world) {
      const found = pages.find(placeOf(uid));
      if (found?.state !== stateOf(world)) return undefined;
      return found.dueMs ?? Number.POSITIVE_INFINITY;
    },
    put: (uid, world, dueMs) => pages.set(placeOf(uid), { state: stateOf(world), dueMs }),
    delete: (uid) => pages.set(placeOf(uid), undefined),
    reset(next) {
      current = next;
      pages.turnTo(operatorUid, next);
    },
  };
}

function stateOf({ resourceVersion, seen }: SettledWorld): string {
  return settledDigest(`${resourceVersion} ${seen}`);
}

/** Forgets what older releases kept, an entry of its own for each object. */
export function dropOldRecords(writes: Pick<PendingWrites, 'keys' | 'set'>): void {
  for (const prefix of ['operator/', 'settled/']) {
    for (const key of writes.keys(prefix)) writes.set(key, undefined);
  }
}
