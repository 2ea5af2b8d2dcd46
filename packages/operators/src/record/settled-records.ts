/**
 * What operators were done with, so that a start of the hub runs nothing that was settled.
 *
 * I1. A record is made only by a run that wrote no child: the function has seen the world as it is
 *     recorded, and wanted nothing else of it. Whatever changed since has another version.
 * I2. Records hold for one version of an operator: for the code of its function, and its spec.
 */
import type { PendingWrites } from './pending-writes.ts';

/** What was so when nothing was left to do for an object. */
export interface SettledRecord {
  readonly resourceVersion: string;
  /** Digest of the versions of all else that the function was sent. */
  readonly seen: string;
  /** When it is to be run again, milliseconds since the epoch. */
  readonly dueMs?: number;
}

/** The settled objects of one operator, by uid. */
export interface SettledRecords {
  get(uid: string): SettledRecord | undefined;
  put(uid: string, record: SettledRecord): void;
  delete(uid: string): void;
  /** From now on records are about another version; those that were are forgotten. */
  reset(version: string): void;
}

/** The records of an operator as they were left, unless they are about another version of it. */
export function openSettledRecords(
  writes: PendingWrites,
  operatorUid: string,
  version: string,
): SettledRecords {
  const head = `operator/${operatorUid}`;
  const prefix = `settled/${operatorUid}/`;
  const reset = (next: string): void => {
    for (const key of writes.keys(prefix)) writes.set(key, undefined);
    writes.set(head, { version: next });
  };
  if (writes.get(head)?.version !== version) reset(version);
  return {
    get: (uid) => readRecord(writes.get(`${prefix}${uid}`)),
    put(uid, { resourceVersion, seen, dueMs }) {
      const due = dueMs === undefined ? {} : { dueMs };
      writes.set(`${prefix}${uid}`, { resourceVersion, seen, ...due });
    },
    delete: (uid) => writes.set(`${prefix}${uid}`, undefined),
    reset,
  };
}

/** Forgets all that is known of operators that are no more. */
export function dropRecords(
  writes: PendingWrites,
  isKnown: (operatorUid: string) => boolean,
): void {
  for (const kind of ['operator', 'settled', 'run']) {
    for (const key of writes.keys(`${kind}/`)) {
      if (!isKnown(key.split('/')[1] ?? '')) writes.set(key, undefined);
    }
  }
}

function readRecord(value: unknown): SettledRecord | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is SettledRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'resourceVersion' in value &&
    typeof value.resourceVersion === 'string' &&
    'seen' in value &&
    typeof value.seen === 'string'
  );
}
