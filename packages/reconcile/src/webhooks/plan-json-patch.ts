import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';

/**
 * The JSON patch (RFC 6902) that makes `after` of `before`: object by object, and item by item where
 * lists differ, so that a webhook touches no field that it did not mean to.
 */
export function planJsonPatch(before: unknown, after: unknown): JsonObject[] {
  return planAt('', before, after);
}

function planAt(path: string, before: unknown, after: unknown): JsonObject[] {
  if (jsonEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return planList(path, before, after);
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ op: 'replace', path, value: after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): JsonObject[] => {
    const at = `${path}/${escapePointer(name)}`;
    // A field that holds undefined is absent from the JSON text.
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    const is = Object.hasOwn(after, name) ? after[name] : undefined;
    if (is === undefined) return was === undefined ? [] : [{ op: 'remove', path: at }];
    if (was === undefined) return [{ op: 'add', path: at, value: is }];
    return planAt(at, was, is);
  });
}

function planList(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
): JsonObject[] {
  const both = Math.min(before.length, after.length);
  const changed = before
    .slice(0, both)
    .flatMap((item, index) => planAt(`${path}/${index}`, item, after[index]));
  const added = after
    .slice(both)
    .map((value): JsonObject => ({ op: 'add', path: `${path}/-`, value }));
  // From the end, so that what is still to be removed keeps its place.
  const removed = before
    .slice(both)
    .map((_, index): JsonObject => ({ op: 'remove', path: `${path}/${both + index}` }));
  return [...changed, ...added, ...removed.reverse()];
}

/** RFC 6901. */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
