import {
  isLeafType,
  type ListType,
  type MapType,
  type ResolvedType,
  resolveType,
  typeOfField,
} from '../field-type.ts';
import { defineValue } from '../own-property.ts';
import {
  emptyFieldSet,
  type FieldSet,
  hasPath,
  insertPath,
  mutableFieldSet,
  pathsOf,
  unionOf,
} from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { fieldElement, itemElement, keyNames } from './path-element.ts';
import { fieldsIn, isHollow, itemsIn, type TypedValue } from './typed-value.ts';

/**
 * The part of a value that these paths lead to. A map or list of which nothing but itself is asked
 * for becomes null.
 */
export function extractItems({ value, type }: TypedValue, items: FieldSet): unknown {
  return extractFrom(resolveType(type, value), value, items);
}

function extractFrom(type: ResolvedType, value: unknown, items: FieldSet): unknown {
  if (type.kind === 'scalar' || isLeafType(type)) return value;
  if (isHollow(type.kind === 'map' ? fieldsIn(value) : itemsIn(value))) return value;
  return type.kind === 'map'
    ? extractFields(type, value, items)
    : extractListItems(type, value, items);
}

function extractFields(type: MapType, value: unknown, items: FieldSet): unknown {
  const kept: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fieldsIn(value))) {
    const element = fieldElement(name);
    const below = items.children.get(element);
    if (below === undefined && !items.members.has(element)) continue;
    const part = { value: field, type: typeOfField(type, name) };
    defineValue(kept, name, extractItems(part, below ?? emptyFieldSet));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function extractListItems(type: ListType, value: unknown, items: FieldSet): unknown {
  const kept = itemsIn(value).flatMap((item, index) => {
    const element = itemElement(type, item, index);
    const below = items.children.get(element);
    if (below === undefined && !items.members.has(element)) return [];
    return [extractItems({ value: item, type: type.element }, below ?? emptyFieldSet)];
  });
  return kept.length === 0 ? null : kept;
}

/** The paths, and the key fields of every list item that they lead into. */
export function withKeyFields(value: TypedValue, items: FieldSet): FieldSet {
  const present = fieldsOf(value);
  const keys = mutableFieldSet();
  for (const path of pathsOf(items)) {
    if (!hasPath(present, path)) continue;
    path.forEach((element, depth) => {
      for (const name of keyNames(element)) {
        insertPath(keys, [...path.slice(0, depth + 1), fieldElement(name)]);
      }
    });
  }
  return unionOf(items, keys);
}
