/*
 * What a manager owns of an object, read without the schema of its kind: the paths in managedFields
 * tell which maps and lists are owned part by part, and how their items are told apart (KEP-555).
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  type FieldSet,
  fieldElement,
  fieldName,
  itemElement,
  type KubeObject,
  type ListType,
  type PathElement,
} from '@fnlet/machinery';
import { isSameMeaning, type Place, placeOfField, rootPlace } from './same-meaning.ts';

/**
 * What an apply asks for, without what names the object: nobody owns that (apimachinery,
 * managedfields stripMeta), so no field set has it. Owner references are compared by themselves.
 */
export function intentOf(manifest: KubeObject): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = manifest;
  const { name: ___, namespace: ____, uid: _____, ownerReferences: ______, ...meta } = metadata;
  return Object.keys(meta).length === 0 ? rest : { metadata: meta, ...rest };
}

/**
 * The part of `live` that these fields lead to. Of a map that was applied empty only its being
 * there counts: what others put into it is theirs.
 */
export function ownedPart(live: unknown, fields: FieldSet, intent: unknown): unknown {
  if (Array.isArray(live)) return ownedItems(live, fields, intent);
  if (!isJsonObject(live)) return live;
  const part: [string, unknown][] = [];
  for (const element of elementsOf(fields)) {
    const name = fieldName(element);
    if (name === undefined) continue;
    const below = fields.children.get(element);
    const [value, wanted] = [ownField(live, name), ownField(intent, name)];
    part.push([name, below === undefined ? leaf(value, wanted) : ownedPart(value, below, wanted)]);
  }
  return Object.fromEntries(part);
}

function ownedItems(live: readonly unknown[], fields: FieldSet, intent: unknown): unknown[] {
  const type = listTypeOf(fields);
  const wanted = new Map(itemsOf(intent).map((item, i) => [itemElement(type, item, i), item]));
  return live.flatMap((item, index) => {
    const element = itemElement(type, item, index);
    const below = fields.children.get(element);
    if (below !== undefined) return [ownedPart(item, below, wanted.get(element))];
    return fields.members.has(element) ? [leaf(item, wanted.get(element))] : [];
  });
}

function leaf(live: unknown, intent: unknown): unknown {
  return isJsonObject(live) && isJsonObject(intent) && isHollow(intent) ? {} : live;
}

/**
 * Whether an apply of `intent` would change nothing: exactly its fields are owned, and their live
 * values mean the same. `false` when that cannot be told without the schema.
 */
export function isAsApplied(
  intent: unknown,
  fields: FieldSet,
  { live, place = rootPlace }: { readonly live: unknown; readonly place?: Place },
): boolean {
  if (Array.isArray(intent)) {
    return Array.isArray(live) && areItemsAsApplied(intent, fields, { live, place });
  }
  if (!isJsonObject(intent) || !isJsonObject(live)) return false;
  let found = 0;
  for (const [name, wanted] of Object.entries(intent)) {
    if (wanted === undefined) continue;
    const element = fieldElement(name);
    const below = fields.children.get(element);
    const value = { live: ownField(live, name), place: placeOfField(place, name) };
    const isOwned = below !== undefined || fields.members.has(element);
    // Servers drop null and empty lists (kubernetes#131175), so that nobody owns them.
    if (!isOwned && !isNothing(wanted)) return false;
    if (isOwned) found++;
    if (below === undefined ? !isLeafAsApplied(wanted, value) : !isAsApplied(wanted, below, value))
      return false;
  }
  return found === elementsOf(fields).size;
}

interface LiveValue {
  readonly live: unknown;
  readonly place: Place;
}

function isLeafAsApplied(wanted: unknown, { live, place }: LiveValue): boolean {
  // What is owned and yet not there was dropped by the server: who removes it, takes it over.
  if (live === undefined && isJsonObject(wanted) && isHollow(wanted)) return true;
  return isSameMeaning(wanted, leaf(live, wanted), place);
}

function areItemsAsApplied(
  intent: readonly unknown[],
  fields: FieldSet,
  { live, place }: { readonly live: readonly unknown[]; readonly place: Place },
): boolean {
  const type = listTypeOf(fields);
  const elements = elementsOf(fields);
  const owned = live
    .map((item, index) => ({ item, element: itemElement(type, item, index) }))
    .filter(({ element }) => elements.has(element));
  if (intent.length !== elements.size || intent.length !== owned.length) return false;
  return owned.every(({ item, element }, index) => {
    const wanted = intent[index];
    if (itemElement(type, wanted, index) !== element) return false;
    const below = fields.children.get(element);
    const value = { live: item, place };
    return below === undefined ? isLeafAsApplied(wanted, value) : isAsApplied(wanted, below, value);
  });
}

/** How items of an owned list are told apart, as far as the paths into it say. */
function listTypeOf(fields: FieldSet): ListType {
  const elements = [...elementsOf(fields)];
  const type = { kind: 'list', element: { kind: 'deduced' }, keys: [], keyDefaults: {} } as const;
  const isKeyed = elements.some((element) => element.startsWith('k:'));
  if (!isKeyed) {
    const isSet = elements.some((element) => element.startsWith('v:'));
    return { ...type, relationship: isSet ? 'set' : 'atomic' };
  }
  const keys = elements.map(keysOf);
  const names = [...new Set(keys.flatMap((key) => Object.keys(key)))];
  // A key that all items share may be a default that was not written, such as `protocol: TCP`.
  const shared = names.filter((name) => keys.every((key) => key[name] === keys[0]?.[name]));
  const keyDefaults = Object.fromEntries(shared.map((name) => [name, keys[0]?.[name]]));
  return { ...type, relationship: 'map', keys: names, keyDefaults };
}

function keysOf(element: PathElement): JsonObject {
  const keys: unknown = element.startsWith('k:') ? JSON.parse(element.slice(2)) : undefined;
  return isJsonObject(keys) ? keys : {};
}

function elementsOf(fields: FieldSet): ReadonlySet<PathElement> {
  if (fields.children.size === 0) return fields.members;
  return fields.members.union(new Set(fields.children.keys()));
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function ownField(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isHollow(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
