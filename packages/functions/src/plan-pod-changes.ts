import type { RevisionTemplate } from '@fnlet/api';
import { canonicalJson, parseDuration } from '@fnlet/base';
import { limits } from './limits.ts';

/** What a Pod has from its beginning on, besides how long it may take to end. */
const fields = [
  ...(['runtime', 'development', 'mounts', 'serviceAccountName'] as const),
  ...(['resources', 'imageOverride', 'pod'] as const),
];

/**
 * Fields of a Function, such as `spec.mounts`, that differ between two Revisions in a way that no
 * Pod that runs can take.
 */
export function planPodChanges(before: RevisionTemplate, now: RevisionTemplate): readonly string[] {
  const differing = fields.filter(
    (field) => canonicalJson(before[field] ?? null) !== canonicalJson(now[field] ?? null),
  );
  const isLonger = graceMs(before) !== graceMs(now);
  return [...differing, ...(isLonger ? ['timeout'] : [])].map((field) => `spec.${field}`);
}

/** How long the kubelet lets it end: the calls of others are not longer than this. */
function graceMs({ timeout }: RevisionTemplate): number {
  return Math.max(parseDuration(timeout), limits.drainMs);
}
