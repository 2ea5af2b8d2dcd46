import { jsonEqual } from '@fnlet/base';
import {
  type FieldType,
  isLeafType,
  type ListType,
  type MapType,
  type ResolvedType,
  resolveType,
  typeOfField,
} from '../field-type.ts';
import { defineValue, ownValue } from '../own-property.ts';
import { itemElement, type PathElement } from './path-element.ts';
import { fieldsIn, isHollow, itemsIn, type TypedValue } from './typed-value.ts';

/**
 * `base` with `overlay` put over it: leaves of the overlay win, everything that it does not mention
 * stays. Parts that do not change are shared with `base`, so a merge without effect returns
 * `base.value` itself.
 */
export function mergeValues(base: TypedValue, overlay: TypedValue): unknown {
  return merge(overlay.type, base.value, overlay.value);
}

/** An undefined side does not exist. */
function merge(type: FieldType, left: unknown, right: unknown): unknown {
  if (right === undefined || left === right) return left;
  // Where a deduced value changes its kind, the kind of the overlay decides.
  return mergeAs(resolveType(type, right), left, right);
}

function mergeAs(type: ResolvedType, left: unknown, right: unknown): unknown {
  if (type.kind === 'scalar' || isLeafType(type)) return preferRight(left, right);
  const inside = type.kind === 'map' ? fieldsIn : itemsIn;
  // Two values with nothing inside merge whole, to tell null, {} and [] apart.
  if (isHollow(inside(left)) && isHollow(inside(right))) return preferRight(left, right);
  return type.kind === 'map' ? mergeFields(type, left, right) : mergeItems(type, left, right);
}

function preferRight(left: unknown, right: unknown): unknown {
  return left !== undefined && jsonEqual(left, right) ? left : right;
}

function mergeFields(type: MapType, left: unknown, right: unknown): unknown {
  const before = fieldsIn(left);
  const merged: Record<string, unknown> = { ...before };
  let isChanged = before !== left;
  for (const [name, over] of Object.entries(fieldsIn(right))) {
    const own = ownValue(before, name);
    const value = merge(typeOfField(type, name), own, over);
    if (value === own) continue;
    defineValue(merged, name, value);
    isChanged = true;
  }
  return isChanged ? merged : left;
}

/**
 * Items of the base keep their places, those of the overlay their order among themselves: an item
 * that only the overlay has comes before the next one that both have.
 */
function mergeItems(type: ListType, left: unknown, right: unknown): unknown {
  const [before, over] = [itemsIn(left), itemsIn(right)];
  const beforeIds = before.map((item, index) => itemElement(type, item, index));
  const overIds = over.map((item, index) => itemElement(type, item, index));
  const base = firstOf(beforeIds, before);
  const overlaid = new Set(overIds);
  const shared = overIds.filter((id) => base.has(id));
  let nextShared = 0;
  const merged: unknown[] = [];
  const done = new Set<PathElement>();
  const take = (index: number): void => {
    const id = overIds[index];
    if (id === undefined) return;
    merged.push(merge(type.element, base.get(id), over[index]));
    done.add(id);
    if (shared[nextShared] === id) nextShared++;
  };
  let [l, r] = [0, 0];
  while (l < before.length || r < over.length) {
    const id = beforeIds[l];
    if (id !== undefined && !overlaid.has(id)) {
      merged.push(before[l++]);
    } else if (id !== undefined && id === overIds[r]) {
      take(r++);
      l++;
    } else if (id !== undefined && nextShared < shared.length && shared[nextShared] !== id) {
      // Its turn comes, or came, in the order of the overlay.
      l++;
    } else {
      // A second item with the identity of one that is merged already is dropped.
      if (id !== undefined && done.has(id)) l++;
      if (r < over.length) take(r++);
    }
  }
  return isSameList(merged, left) ? left : merged;
}

/** Items by identity; one that is not unique has nothing to merge with. */
function firstOf(
  ids: readonly PathElement[],
  items: readonly unknown[],
): ReadonlyMap<PathElement, unknown> {
  const found = new Map<PathElement, unknown>();
  ids.forEach((id, index) => {
    found.set(id, found.has(id) ? undefined : items[index]);
  });
  return found;
}

function isSameList(merged: readonly unknown[], left: unknown): boolean {
  return (
    Array.isArray(left) &&
    left.length === merged.length &&
    merged.every((item, index) => item === left[index])
  );
}
