import type { FunctionObject, RevisionObject } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import { formatAge, formatTable } from '../text-table.ts';
import { byService } from './plan-rollback.ts';

/** A line for each Revision of a Function: what it gets of the calls, and when it last had some. */
export function formatRevisions(
  owner: FunctionObject,
  revisions: readonly RevisionObject[],
  nowMs: number,
): string {
  const rows = byService(revisions).map(({ metadata, spec, status }) => {
    const ready = findCondition(status?.conditions, 'Ready');
    return [
      metadata.name,
      ready?.status ?? 'Unknown',
      describeCalls(owner, metadata.name),
      describePart(owner, metadata.name),
      ageOf(status?.servedAt, nowMs),
      spec.runtime,
      ageOf(metadata.creationTimestamp, nowMs),
    ];
  });
  const heads = ['NAME', 'READY', 'CALLS', 'NOTE', 'SERVED SINCE', 'RUNTIME', 'AGE'];
  return formatTable(heads, rows);
}

/** `90% canary,next`: its part of the calls, and its tags. */
function describeCalls({ status }: FunctionObject, name: string): string {
  const shares = (status?.traffic ?? []).filter(({ revision }) => revision === name);
  if (shares.length === 0) return '';
  const percent = shares.reduce((sum, share) => sum + share.percent, 0);
  const tags = shares.flatMap(({ tag }) => tag ?? []);
  return [`${percent}%`, tags.join(',')].filter(Boolean).join(' ');
}

function describePart({ status }: FunctionObject, name: string): string {
  const { latestRevision, canary } = status ?? {};
  if (canary?.revision === name) return canary.phase === 'RolledBack' ? 'rolled back' : 'canary';
  return latestRevision === name ? 'latest' : '';
}

function ageOf(time: string | undefined, nowMs: number): string {
  const sinceMs = Date.parse(time ?? '');
  return Number.isNaN(sinceMs) ? '' : formatAge(sinceMs, nowMs);
}
