import { isJsonObject } from '@fnlet/base';

/**
 * `target` changed by a JSON merge patch (RFC 7396): objects merge, `null` removes, everything else
 * replaces. Neither argument is changed; unchanged parts are shared with the result.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  // A Map and fromEntries never touch a prototype, whatever the keys are called.
  const fields = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, applyMergePatch(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}
