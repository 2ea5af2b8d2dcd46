import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { badRequest } from '../answer/status-texts.ts';

// Strategic merge patch: a JSON merge patch in which the lists of builtin kinds are merged by key
// (k8s.io/apimachinery, util/strategicpatch). Pure: nothing here changes its arguments.

/** How a value is merged; what is not said is a map merged field by field, or a replaced list. */
export interface StrategicType {
  readonly fields?: Readonly<Record<string, StrategicType>>;
  /** The type of a list's items. */
  readonly items?: StrategicType;
  /** `merge` for lists, `replace` for maps, `retainKeys` for unions. */
  readonly strategy?: readonly string[];
  /** What identifies an item of a merged list of maps. */
  readonly mergeKey?: string;
}

const directive = '$patch';
const retainKeys = '$retainKeys';
const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/**
 * `original` with `patch` merged in.
 *
 * @throws StatusError `BadRequest` for a patch that breaks the rules of its directives.
 */
export function applyStrategicMerge(
  original: JsonObject,
  patch: JsonObject,
  type: StrategicType,
): JsonObject {
  const whole = patch[directive];
  if (whole === 'replace') return withoutDirective(patch);
  if (whole === 'delete') return {};
  if (whole !== undefined && whole !== 'merge') throw badDirective(whole);
  const result: Record<string, unknown> = { ...retained(original, patch) };
  for (const key of Object.keys(patch)) {
    if (key === directive || key === retainKeys || key.startsWith(deletePrefix)) continue;
    if (key.startsWith(orderPrefix)) {
      const field = key.slice(orderPrefix.length);
      // The list itself, when it is patched too, is merged when its own key comes.
      if (!Object.hasOwn(patch, field)) mergeField(result, field, { patch, type });
    } else mergeField(result, key, { patch, type });
  }
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith(deletePrefix)) continue;
    const field = key.slice(deletePrefix.length);
    const list = result[field];
    if (Array.isArray(list) && Array.isArray(value)) {
      result[field] = list.filter((item) => !value.some((gone) => jsonEqual(gone, item)));
    }
  }
  return result;
}

function badDirective(value: unknown): Error {
  return badRequest(`invalid value for ${directive}: ${JSON.stringify(value)}`);
}

function withoutDirective(patch: JsonObject): JsonObject {
  const { [directive]: _, ...rest } = patch;
  return rest;
}

/** A union keeps only the keys that the patch names. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[retainKeys];
  if (keys === undefined) return original;
  if (!Array.isArray(keys)) throw badRequest(`invalid value for ${retainKeys}: expected a list`);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$') || value === null || keys.includes(key)) continue;
    throw badRequest(`${retainKeys} directives must contain all the fields present in the patch`);
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

function mergeField(
  result: Record<string, unknown>,
  field: string,
  parent: { readonly patch: JsonObject; readonly type: StrategicType },
): void {
  const { patch } = parent;
  const type = parent.type.fields?.[field] ?? {};
  const before = result[field];
  const order = patch[orderPrefix + field];
  const value = patch[field];
  if (Object.hasOwn(patch, field) && value === null) {
    delete result[field];
    return;
  }
  if (Array.isArray(order)) {
    const merged = mergeOrdered(before, value, { order, type });
    if (merged !== undefined) result[field] = merged;
  } else if (isJsonObject(value) && isJsonObject(before)) {
    const replaces = type.strategy?.includes('replace') === true;
    result[field] = replaces ? withoutDirective(value) : applyStrategicMerge(before, value, type);
  } else if (Array.isArray(value) && Array.isArray(before)) {
    // Whoever tells no order wants that of the patch, as far as it goes.
    const told = value.filter((item) => !isJsonObject(item) || item[directive] === undefined);
    result[field] = isMerged(type) ? mergeOrdered(before, value, { order: told, type }) : value;
  } else {
    result[field] = plain(value, type);
  }
}

function isMerged(type: StrategicType): boolean {
  return type.strategy?.includes('merge') === true;
}

/** A value that had nothing to merge with, without directives and nulls. */
function plain(value: unknown, type: StrategicType): unknown {
  if (isJsonObject(value)) {
    return value[directive] === 'delete' ? {} : applyStrategicMerge({}, value, type);
  }
  if (!Array.isArray(value) || !isMerged(type)) return value;
  return mergeLists([], value, type);
}

function mergeLists(
  before: readonly unknown[],
  patch: readonly unknown[],
  type: StrategicType,
): readonly unknown[] {
  if (![...before, ...patch].some(isJsonObject)) {
    const merged = [...before];
    for (const item of patch) if (!merged.some((had) => jsonEqual(had, item))) merged.push(item);
    return merged;
  }
  const { mergeKey } = type;
  if (mergeKey === undefined)
    throw badRequest('a list of maps cannot be merged without a merge key');
  let merged: unknown[] = [...before];
  const ordinary: JsonObject[] = [];
  let replaces = false;
  for (const item of patch) {
    if (!isJsonObject(item)) throw badRequest('a merged list of maps has an item that is no map');
    const special = item[directive];
    if (special === 'replace') replaces = true;
    else if (special === 'delete') {
      const key = keyOf(item, mergeKey);
      merged = merged.filter((had) => !isJsonObject(had) || !jsonEqual(had[mergeKey], key));
    } else if (special === undefined || special === 'merge') ordinary.push(withoutDirective(item));
    else throw badDirective(special);
  }
  if (replaces) return ordinary;
  for (const item of ordinary) mergeItem(merged, item, { mergeKey, type });
  return merged;
}

function keyOf(item: JsonObject, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  const text = `map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`;
  throw badRequest(text);
}

function mergeItem(
  merged: unknown[],
  item: JsonObject,
  { mergeKey, type }: { mergeKey: string; type: StrategicType },
): void {
  const key = keyOf(item, mergeKey);
  const at = merged.findIndex((had) => isJsonObject(had) && jsonEqual(had[mergeKey], key));
  const had = merged[at];
  const itemType = type.items ?? {};
  if (isJsonObject(had)) merged[at] = applyStrategicMerge(had, item, itemType);
  else merged.push(applyStrategicMerge({}, item, itemType));
}

/** Merges a list whose wanted order the patch tells: the server's own items keep their places. */
function mergeOrdered(
  before: unknown,
  patch: unknown,
  { order, type }: { order: readonly unknown[]; type: StrategicType },
): readonly unknown[] | undefined {
  const { mergeKey } = type;
  const identity = (item: unknown): unknown =>
    mergeKey !== undefined && isJsonObject(item) ? keyOf(item, mergeKey) : item;
  const indexIn = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((other) => jsonEqual(identity(other), identity(item)));
  const live = Array.isArray(before) ? before : [];
  if (Array.isArray(patch)) checkOrder(patch, order, indexIn);
  const merged = Array.isArray(patch) ? mergeLists(live, patch, type) : before;
  if (!Array.isArray(merged)) return undefined;
  // Upstream changes the live list in place, so that an item added where one was deleted has a
  // place among the server's own; recorded answers depend on it.
  const server = merged.slice(0, live.length);
  const named = merged.filter((item) => indexIn(order, item) >= 0);
  const serverOnly = merged.filter((item) => indexIn(order, item) < 0);
  named.sort((a, b) => indexIn(order, a) - indexIn(order, b));
  serverOnly.sort((a, b) => indexIn(server, a) - indexIn(server, b));
  return interleave(serverOnly, named, (item) => indexIn(server, item));
}

function checkOrder(
  patch: readonly unknown[],
  order: readonly unknown[],
  indexIn: (list: readonly unknown[], item: unknown) => number,
): void {
  let last = -1;
  for (const item of patch) {
    if (isJsonObject(item) && item[directive] !== undefined) continue;
    const index = indexIn(order, item);
    if (index <= last && index >= 0) {
      throw badRequest("the order in the patch list doesn't match the $setElementOrder list");
    }
    last = Math.max(last, index);
  }
}

/** Puts each item of `left` before the first of `right` that the server has after it. */
function interleave(
  left: readonly unknown[],
  right: readonly unknown[],
  serverIndex: (item: unknown) => number,
): readonly unknown[] {
  const result: unknown[] = [];
  let next = 0;
  for (const item of right) {
    const index = serverIndex(item);
    while (next < left.length && serverIndex(left[next]) < index) result.push(left[next++]);
    result.push(item);
  }
  return [...result, ...left.slice(next)];
}
