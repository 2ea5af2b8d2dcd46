import { jsonEqual } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';

/** Which parts of an object an update has changed, in words: `spec`, `status`, `labels`, … */
export function changedParts(old: KubeObject, object: KubeObject): string[] {
  const { metadata: before, ...oldRest }: KubeObject & Record<string, unknown> = old;
  const { metadata: after, ...rest }: KubeObject & Record<string, unknown> = object;
  const names = new Set([...Object.keys(oldRest), ...Object.keys(rest)]);
  const parts = [...names].filter((name) => !jsonEqual(oldRest[name], rest[name]));
  const ofMeta = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;
  return [...parts, ...ofMeta.filter((name) => !jsonEqual(before[name], after[name]))];
}
