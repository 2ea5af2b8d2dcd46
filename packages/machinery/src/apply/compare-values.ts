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
import { ownValue } from '../own-property.ts';
import { emptyFieldSet, exclude, type FieldSet } from './field-set.ts';
import { PathCollector } from './path-collector.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';
import { fieldsIn, isHollow, itemsIn, type TypedValue } from './typed-value.ts';

/** What differs between two values of one type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const noDifference: Comparison = {
  added: emptyFieldSet,
  modified: emptyFieldSet,
  removed: emptyFieldSet,
};

/** What changed from `before` to `after`, which have one type. */
export function compareValues(before: TypedValue, after: TypedValue): Comparison {
  if (before.value === after.value) return noDifference;
  const walk = new ComparisonWalk();
  walk.visit(after.type, before.value, after.value);
  return walk.comparison();
}

/** The comparison without these paths and all below them. */
export function excludeFields(comparison: Comparison, fields: FieldSet): Comparison {
  return {
    added: exclude(comparison.added, fields),
    modified: exclude(comparison.modified, fields),
    removed: exclude(comparison.removed, fields),
  };
}

/** A walk over two values at once. I1: `#path` leads to the pair being visited. */
class ComparisonWalk {
  readonly #added = new PathCollector();
  readonly #modified = new PathCollector();
  readonly #removed = new PathCollector();
  readonly #path: PathElement[] = [];

  comparison(): Comparison {
    return { added: this.#added.set, modified: this.#modified.set, removed: this.#removed.set };
  }

  /** An undefined side does not exist. */
  visit(type: FieldType, left: unknown, right: unknown): void {
    if (left === right) return;
    const leftType = resolveType(type, left === undefined ? right : left);
    const rightType = resolveType(type, right === undefined ? left : right);
    // A deduced value may have changed its kind: then it is walked as both.
    if (leftType !== rightType) this.#visitAs(leftType, left, right);
    const isLeaf = this.#visitAs(rightType, left, right);
    if (isLeaf) return;
    if (left === undefined) this.#added.insert(this.#path);
    else if (right === undefined) this.#removed.insert(this.#path);
  }

  /** Returns whether the pair was compared as a whole. */
  #visitAs(type: ResolvedType, left: unknown, right: unknown): boolean {
    // Two values with nothing inside are compared whole, to tell null, {} and [] apart.
    if (isLeafType(type) || this.#areHollow(type, left, right)) {
      this.#compareWhole(left, right);
      return true;
    }
    if (type.kind === 'map') this.#visitFields(type, left, right);
    if (type.kind === 'list') this.#visitItems(type, left, right);
    return false;
  }

  #areHollow(type: ResolvedType, left: unknown, right: unknown): boolean {
    const inside = type.kind === 'map' ? fieldsIn : itemsIn;
    return isHollow(inside(left)) && isHollow(inside(right));
  }

  #compareWhole(left: unknown, right: unknown): void {
    if (left === undefined) this.#added.insert(this.#path);
    else if (right === undefined) this.#removed.insert(this.#path);
    else if (!jsonEqual(left, right)) this.#modified.insert(this.#path);
  }

  #descend(element: PathElement, visit: () => void): void {
    this.#path.push(element);
    visit();
    this.#path.pop();
    const { length } = this.#path;
    this.#added.leave(length);
    this.#modified.leave(length);
    this.#removed.leave(length);
  }

  #visitFields(type: MapType, left: unknown, right: unknown): void {
    const [before, after] = [fieldsIn(left), fieldsIn(right)];
    for (const [name, fieldAfter] of Object.entries(after)) {
      this.#visitField(type, name, { before: ownValue(before, name), after: fieldAfter });
    }
    for (const [name, fieldBefore] of Object.entries(before)) {
      if (Object.hasOwn(after, name)) continue;
      this.#visitField(type, name, { before: fieldBefore, after: undefined });
    }
  }

  #visitField(
    type: MapType,
    name: string,
    { before, after }: { readonly before: unknown; readonly after: unknown },
  ): void {
    if (before === after) return;
    this.#descend(fieldElement(name), () => this.visit(typeOfField(type, name), before, after));
  }

  #visitItems(type: ListType, left: unknown, right: unknown): void {
    const before = groupItems(type, itemsIn(left));
    const after = groupItems(type, itemsIn(right));
    for (const element of new Set([...before.keys(), ...after.keys()])) {
      this.#descend(element, () =>
        this.#visitGroup(type, before.get(element) ?? [], after.get(element) ?? []),
      );
    }
  }

  /** Items with one identity. More than one of them on a side are a unit that is not looked into. */
  #visitGroup(type: ListType, before: readonly unknown[], after: readonly unknown[]): void {
    if (before.length <= 1 && after.length <= 1) {
      this.visit(type.element, before[0], after[0]);
    } else if (before.length >= 2 && after.length >= 2) {
      if (!jsonEqual(before, after)) this.#modified.insert(this.#path);
    } else if (before.length >= 2) {
      if (after.length === 1) this.visit(type.element, undefined, after[0]);
      this.#removed.insert(this.#path);
    } else {
      if (before.length === 1) this.visit(type.element, before[0], undefined);
      this.#added.insert(this.#path);
    }
  }
}

function groupItems(
  type: ListType,
  items: readonly unknown[],
): ReadonlyMap<PathElement, readonly unknown[]> {
  return Map.groupBy(items, (item, index) => itemElement(type, item, index));
}
