import { sha256 } from '@fnlet/base';
import type { ObjectShape } from '@fnlet/sdk/operator';

/**
 * The versions of all that a function was sent besides the object itself, as one text: equal only
 * when nothing has changed. Versions are of one cluster, and no two states of an object share one.
 */
export function seenDigest(objects: readonly ObjectShape[]): string {
  if (objects.length === 0) return '';
  const versions = objects.map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`);
  return sha256(versions.sort().join()).slice(0, 24);
}
