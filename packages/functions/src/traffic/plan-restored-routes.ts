import type { FunctionObject, RevisionObject } from '@fnlet/api';
import { type ObjectKey, objectKey } from '@fnlet/machinery';
import { isOwnedBy } from '../plan-revision.ts';
import type { CanaryState } from './canary-state.ts';
import type { ServedRevision, Share } from './share.ts';
import type { TrafficState } from './traffic.ts';

/** What a process needs to go on with the calls of a Function as another one left them. */
export interface RestoredTraffic extends Omit<TrafficState, 'reserved'> {
  readonly canary: CanaryState | undefined;
}

/**
 * The routes that stood when the process last ran: each Function's calls go to the Revisions that
 * its status names, as far as they are still there.
 */
export function planRestoredRoutes(
  functions: readonly FunctionObject[],
  find: (key: ObjectKey) => RevisionObject | undefined,
): (readonly [FunctionObject, RestoredTraffic])[] {
  return functions.flatMap((owner) => {
    if (owner.metadata.deletionTimestamp !== undefined) return [];
    const served = (name: string | undefined): ServedRevision | undefined => {
      if (name === undefined) return undefined;
      const revision = find({ ...objectKey(owner), name });
      if (revision === undefined || !isOwnedBy(revision, owner)) return undefined;
      return { name, timeout: revision.spec.timeout };
    };
    const { revision, latestRevision = revision } = owner.status ?? {};
    const latest = served(latestRevision);
    const shares = restoreShares(owner, served);
    if (shares.length === 0) return [];
    return [[owner, { latest, shares, canary: restoreCanary(owner, served) }] as const];
  });
}

type Find = (name: string | undefined) => ServedRevision | undefined;

function restoreShares({ status }: FunctionObject, find: Find): readonly Share[] {
  const { revision: main, traffic } = status ?? {};
  if (traffic === undefined) {
    const revision = find(main);
    return revision === undefined ? [] : [{ revision, percent: 100, latest: true }];
  }
  return traffic.flatMap(({ revision: name, percent, tag, latest }) => {
    const revision = find(name);
    if (revision === undefined) return [];
    const named = tag === undefined ? {} : { tag };
    return [{ revision, percent, ...(latest === true ? { latest } : {}), ...named }];
  });
}

function restoreCanary({ status }: FunctionObject, find: Find): CanaryState | undefined {
  if (status?.canary === undefined) return undefined;
  const { phase, stable, digest, step, since, message } = status.canary;
  const revision = find(status.canary.revision);
  if (revision === undefined) return undefined;
  const sinceMs = Date.parse(since);
  const told = message === undefined ? {} : { message };
  return { phase, revision, stable, digest, step: step - 1, sinceMs, ...told };
}
