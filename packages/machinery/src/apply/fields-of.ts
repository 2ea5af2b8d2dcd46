import { isJsonObject } from '@fnlet/base';
import {
  declaredField,
  type FieldType,
  isLeafType,
  type ListType,
  type MapType,
  resolveType,
  typeOfField,
} from '../field-type.ts';
import {
  type FieldSet,
  isEmptyFieldSet,
  type MutableFieldSet,
  mutableFieldSet,
} from './field-set.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';
import { fieldsIn, itemsIn, type TypedValue } from './typed-value.ts';

/** Every path that whoever wrote this value owns. */
export function fieldsOf({ value, type }: TypedValue): FieldSet {
  const set = mutableFieldSet();
  const resolved = resolveType(type, value);
  if (resolved.kind === 'map') addFields(set, resolved, value);
  if (resolved.kind === 'list') addItems(set, resolved, value);
  return set;
}

function add(
  set: MutableFieldSet,
  element: PathElement,
  { value, type }: { readonly value: unknown; readonly type: FieldType },
): void {
  const resolved = resolveType(type, value);
  if (isLeafType(resolved)) {
    set.members.add(element);
    return;
  }
  const below = mutableFieldSet();
  if (resolved.kind === 'map') addFields(below, resolved, value);
  if (resolved.kind === 'list') addItems(below, resolved, value);
  if (!isEmptyFieldSet(below)) set.children.set(element, below);
}

function addFields(set: MutableFieldSet, type: MapType, value: unknown): void {
  for (const [name, item] of Object.entries(fieldsIn(value))) {
    if (item === undefined) continue;
    const element = fieldElement(name);
    add(set, element, { value: item, type: typeOfField(type, name) });
    // An entry of a map with free keys exists by itself; a declared field only when it is empty.
    if (declaredField(type, name) === undefined || isVoid(item)) set.members.add(element);
  }
}

function isVoid(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

function addItems(set: MutableFieldSet, type: ListType, value: unknown): void {
  const items = itemsIn(value);
  const elements = items.map((item, index) => itemElement(type, item, index));
  const seen = new Set<PathElement>();
  const repeated = new Set<PathElement>();
  for (const element of elements) {
    if (seen.has(element)) repeated.add(element);
    seen.add(element);
  }
  items.forEach((item, index) => {
    const element = elements[index];
    if (element === undefined) return;
    set.members.add(element);
    // Items that cannot be told apart are owned together, as a whole.
    if (!repeated.has(element)) add(set, element, { value: item, type: type.element });
  });
}
