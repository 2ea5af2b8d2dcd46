import type { FunctionObject, RevisionObject } from '@fnlet/api';
import { type ObjectKey, objectKey } from '@fnlet/machinery';
import { isOwnedBy } from './plan-revision.ts';
import type { ServedRevision } from './plan-route.ts';

/**
 * The routes that stood when the process last ran: each Function's calls go to the Revision that its
 * status names, if it is still there.
 */
export function planRestoredRoutes(
  functions: readonly FunctionObject[],
  find: (key: ObjectKey) => RevisionObject | undefined,
): (readonly [FunctionObject, ServedRevision])[] {
  return functions.flatMap((owner) => {
    const name = owner.status?.revision;
    if (name === undefined || owner.metadata.deletionTimestamp !== undefined) return [];
    const revision = find({ ...objectKey(owner), name });
    if (revision === undefined || !isOwnedBy(revision, owner)) return [];
    return [[owner, { name, timeout: revision.spec.timeout }] as const];
  });
}
