import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import { shardCount } from './limits.ts';

/**
 * The shard of a key, the same in every process: FNV-1a, 32 bits, over `namespace/name`, whose
 * characters are ASCII.
 */
export function shardOf(key: ObjectKey): number {
  const text = formatObjectKey(key);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash % shardCount;
}
