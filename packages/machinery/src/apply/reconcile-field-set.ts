import {
  type FieldType,
  isLeafType,
  type ResolvedType,
  resolveType,
  typeOfField,
} from '../field-type.ts';
import { ownValue } from '../own-property.ts';
import type { FieldSet } from './field-set.ts';
import { fieldName, itemElement, type PathElement } from './path-element.ts';
import { fieldsIn, itemsIn, type TypedValue } from './typed-value.ts';

/**
 * A manager's set, written down under an older schema, as the present type has it: who owned a part
 * of what has become a leaf owns the leaf. A leaf that has become granular says nothing about its
 * parts, so it stays as it is. Returns the set itself when nothing changes.
 */
export function reconcileFieldSet(set: FieldSet, { value, type }: TypedValue): FieldSet {
  const resolved = resolveType(type, value);
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  let isChanged = false;
  for (const [element, child] of set.children) {
    const inside = step(resolved, value, element);
    if (inside === undefined) {
      children.set(element, child);
      continue;
    }
    if (isLeafType(resolveType(inside.type, inside.value))) {
      members.add(element);
      isChanged = true;
      continue;
    }
    const reconciled = reconcileFieldSet(child, inside);
    children.set(element, reconciled);
    if (reconciled !== child) isChanged = true;
  }
  return isChanged ? { members, children } : set;
}

function step(type: ResolvedType, value: unknown, element: PathElement): TypedValue | undefined {
  const name = fieldName(element);
  if (type.kind === 'map' && name !== undefined) {
    return { value: ownValue(fieldsIn(value), name), type: typeOfField(type, name) };
  }
  if (type.kind === 'list' && name === undefined) {
    return { value: findItem(type.element, type, { value, element }), type: type.element };
  }
  return undefined;
}

/** The item is only looked up where its kind decides about its type. */
function findItem(
  itemType: FieldType,
  type: Extract<ResolvedType, { readonly kind: 'list' }>,
  { value, element }: { readonly value: unknown; readonly element: PathElement },
): unknown {
  if (itemType.kind !== 'deduced') return undefined;
  return itemsIn(value).find((item, index) => itemElement(type, item, index) === element);
}
