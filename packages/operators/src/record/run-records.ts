import { isJsonObject, type JsonObject } from '@fnlet/base';
import { recordedRunsMax } from '../limits.ts';
import type { PendingWrites } from './pending-writes.ts';
import type { RunRecord } from './run-record.ts';

/** The last runs of one operator; at most `recordedRunsMax`, the oldest go first. */
export interface RunRecords {
  add(record: RunRecord): void;
  /** Newest first, as they are kept. */
  list(): readonly JsonObject[];
  get(id: string): JsonObject | undefined;
}

/** The records of an operator as they were left. */
export function openRunRecords(writes: PendingWrites, operatorUid: string): RunRecords {
  const prefix = `run/${operatorUid}/`;
  const ids = writes.keys(prefix);
  return {
    add(record) {
      const key = `${prefix}${record.id}`;
      ids.push(key);
      writes.set(key, { ...record });
      while (ids.length > recordedRunsMax) {
        const oldest = ids.shift();
        if (oldest !== undefined) writes.set(oldest, undefined);
      }
    },
    list: () => ids.toReversed().flatMap((key) => readKept(writes.get(key))),
    get: (id) => readKept(writes.get(`${prefix}${id}`))[0],
  };
}

/** Forgets the runs of operators that are no more. */
export function dropRunRecords(
  writes: PendingWrites,
  isKnown: (operatorUid: string) => boolean,
): void {
  for (const key of writes.keys('run/')) {
    if (!isKnown(key.split('/')[1] ?? '')) writes.set(key, undefined);
  }
}

function readKept(value: unknown): JsonObject[] {
  return isJsonObject(value) ? [value] : [];
}
