import { hasCode, isJsonObject, jsonEqual } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';

/**
 * Writes those fields of a status that differ, and nothing when none does. `undefined` fields are
 * left as they are, `null` ones are removed.
 */
export async function writeStatus<T extends KubeObject>(
  parts: { readonly client: ResourceClient<T>; readonly cache: Cache<T>; readonly object: T },
  status: object,
  signal: AbortSignal,
): Promise<T> {
  const { client, cache, object } = parts;
  const known = isJsonObject(object.status) ? object.status : {};
  const changed = Object.entries(status).filter(
    ([field, value]) => value !== undefined && !isSame(known[field], value),
  );
  if (changed.length === 0) return object;
  const { uid } = object.metadata;
  const patch = { metadata: { uid }, status: Object.fromEntries(changed) };
  try {
    const target = { subresource: 'status', signal };
    const written = await client.patch(objectKey(object), { type: 'merge', patch }, target);
    cache.observe(written);
    return written;
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    return object;
  }
}

// An API may leave out what is empty.
function isSame(known: unknown, value: unknown): boolean {
  return jsonEqual(known, value) || (isEmpty(known) && isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isEmpty);
}
