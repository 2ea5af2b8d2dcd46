import type { RevisionObject } from '@fnlet/api';
import { limits } from './limits.ts';

/**
 * The Revisions of one Function that are deleted: all but those in use and the newest others.
 *
 * @param inUse names of Revisions that serve, are wanted, or are being started
 */
export function planHistory(
  revisions: readonly RevisionObject[],
  inUse: ReadonlySet<string>,
): readonly RevisionObject[] {
  return revisions
    .filter(({ metadata }) => !inUse.has(metadata.name) && metadata.deletionTimestamp === undefined)
    .sort((a, b) => createdAt(b).localeCompare(createdAt(a)))
    .slice(limits.oldRevisionsMax);
}

// Names break ties, so that the same history always gives the same answer.
function createdAt({ metadata }: RevisionObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
}
