import { isJsonObject, type JsonObject } from '@fnlet/base';
import { badRequest } from '../answer/status-texts.ts';
import { FirstIndex } from './first-index.ts';

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
      const gone = new FirstIndex(value);
      result[field] = list.filter((item) => gone.find(item) < 0);
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
  const kept = new Set<unknown>(keys);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$') || value === null || kept.has(key)) continue;
    throw badRequest(`${retainKeys} directives must contain all the fields present in the patch`);
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
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
  if (![...before, ...patch].some(isJsonObject)) return mergeScalars(before, patch);
  const { mergeKey } = type;
  if (mergeKey === undefined)
    throw badRequest('a list of maps cannot be merged without a merge key');
  const deleted: unknown[] = [];
  const ordinary: JsonObject[] = [];
  let replaces = false;
  for (const item of patch) {
    if (!isJsonObject(item)) throw badRequest('a merged list of maps has an item that is no map');
    const special = item[directive];
    if (special === 'replace') replaces = true;
    else if (special === 'delete') deleted.push(keyOf(item, mergeKey));
    else if (special === undefined || special === 'merge') ordinary.push(withoutDirective(item));
    else throw badDirective(special);
  }
  if (replaces) return ordinary;
  const gone = new FirstIndex(deleted);
  const kept = before.filter((had) => !isJsonObject(had) || gone.find(had[mergeKey]) < 0);
  return mergeItems(kept, ordinary, { mergeKey, type });
}

function mergeScalars(before: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  const merged = [...before];
  const index = new FirstIndex(merged);
  for (const item of patch) {
    if (index.find(item) >= 0) continue;
    index.add(item, merged.length);
    merged.push(item);
  }
  return merged;
}

function keyOf(item: JsonObject, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  const text = `map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`;
  throw badRequest(text);
}

function mergeItems(
  before: readonly unknown[],
  items: readonly JsonObject[],
  { mergeKey, type }: { readonly mergeKey: string; readonly type: StrategicType },
): readonly unknown[] {
  const merged = [...before];
  const index = new FirstIndex([]);
  before.forEach((had, at) => {
    if (isJsonObject(had)) index.add(had[mergeKey], at);
  });
  for (const item of items) {
    const key = keyOf(item, mergeKey);
    const at = index.find(key);
    const had = merged[at];
    if (isJsonObject(had)) merged[at] = applyStrategicMerge(had, item, type.items ?? {});
    else {
      index.add(key, merged.length);
      merged.push(applyStrategicMerge({}, item, type.items ?? {}));
    }
  }
  return merged;
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
  const wanted = new FirstIndex(order.map(identity));
  const live = Array.isArray(before) ? before : [];
  if (Array.isArray(patch)) checkOrder(patch, (item) => wanted.find(identity(item)));
  const merged = Array.isArray(patch) ? mergeLists(live, patch, type) : before;
  if (!Array.isArray(merged)) return undefined;
  // Upstream changes the live list in place, so that an item added where one was deleted has a
  // place among the server's own; recorded answers depend on it.
  const server = new FirstIndex(merged.slice(0, live.length).map(identity));
  const placed: readonly Placed[] = merged.map((item: unknown) => {
    const key = identity(item);
    return { item, wanted: wanted.find(key), server: server.find(key) };
  });
  const named = placed.filter((one) => one.wanted >= 0).sort((a, b) => a.wanted - b.wanted);
  const serverOnly = placed.filter((one) => one.wanted < 0).sort((a, b) => a.server - b.server);
  return interleave(serverOnly, named).map(({ item }) => item);
}

/** An item, and where it stands in the wanted order and in the server's; -1 where it does not. */
interface Placed {
  readonly item: unknown;
  readonly wanted: number;
  readonly server: number;
}

function checkOrder(patch: readonly unknown[], indexOf: (item: unknown) => number): void {
  let last = -1;
  for (const item of patch) {
    if (isJsonObject(item) && item[directive] !== undefined) continue;
    const index = indexOf(item);
    if (index <= last && index >= 0) {
      throw badRequest("the order in the patch list doesn't match the $setElementOrder list");
    }
    last = Math.max(last, index);
  }
}

/** Puts each item of `left` before the first of `right` that the server has after it. */
function interleave(left: readonly Placed[], right: readonly Placed[]): readonly Placed[] {
  const result: Placed[] = [];
  let next = 0;
  for (const item of right) {
    for (let other = left[next]; other !== undefined && other.server < item.server; ) {
      result.push(other);
      other = left[++next];
    }
    result.push(item);
  }
  return [...result, ...left.slice(next)];
}
