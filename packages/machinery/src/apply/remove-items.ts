import {
  isLeafType,
  type ListType,
  type MapType,
  type ResolvedType,
  resolveType,
  typeOfField,
} from '../field-type.ts';
import { defineValue } from '../own-property.ts';
import { emptyFieldSet, type FieldSet, isEmptyFieldSet } from './field-set.ts';
import { fieldElement, itemElement } from './path-element.ts';
import { fieldsIn, isHollow, itemsIn, type TypedValue } from './typed-value.ts';

/**
 * The value without these paths and what lies below them. A map or list that had something removed
 * and has nothing left becomes null. Nothing to remove: the value itself.
 */
export function removeItems({ value, type }: TypedValue, items: FieldSet): unknown {
  if (isEmptyFieldSet(items)) return value;
  return removeFrom(resolveType(type, value), value, items);
}

function removeFrom(type: ResolvedType, value: unknown, items: FieldSet): unknown {
  // Leaves are removed from outside; nothing can be removed from within one.
  if (type.kind === 'scalar') return value;
  const inside = type.kind === 'map' ? fieldsIn(value) : itemsIn(value);
  if (isLeafType(type) || isHollow(inside)) return null;
  return type.kind === 'map'
    ? removeFields(type, value, items)
    : removeListItems(type, value, items);
}

function removeFields(type: MapType, value: unknown, items: FieldSet): unknown {
  const kept: Record<string, unknown> = {};
  let isChanged = false;
  for (const [name, field] of Object.entries(fieldsIn(value))) {
    const element = fieldElement(name);
    if (items.members.has(element)) {
      isChanged = true;
      continue;
    }
    const below = items.children.get(element) ?? emptyFieldSet;
    const rest = removeItems({ value: field, type: typeOfField(type, name) }, below);
    if (rest !== field) isChanged = true;
    defineValue(kept, name, rest);
  }
  if (!isChanged) return value;
  return Object.keys(kept).length === 0 ? null : kept;
}

function removeListItems(type: ListType, value: unknown, items: FieldSet): unknown {
  const kept: unknown[] = [];
  let isChanged = false;
  itemsIn(value).forEach((item, index) => {
    const element = itemElement(type, item, index);
    if (items.members.has(element)) {
      isChanged = true;
      return;
    }
    const below = items.children.get(element) ?? emptyFieldSet;
    const rest = removeItems({ value: item, type: type.element }, below);
    if (rest !== item) isChanged = true;
    kept.push(rest);
  });
  if (!isChanged) return value;
  return kept.length === 0 ? null : kept;
}
