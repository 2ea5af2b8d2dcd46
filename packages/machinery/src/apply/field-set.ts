import { isJsonObject, type JsonObject } from '@fnlet/base';
import { declaredField, type FieldType, resolveType, typeOfField } from '../field-type.ts';
import { MachineryError } from '../machinery-error.ts';
import { fieldName, type PathElement, parsePathElement } from './path-element.ts';

/**
 * A set of paths into an object: who owns what. A tree, in which a path belongs to the set when its
 * last step is a member of the node that the steps before lead to.
 *
 * Operations return an argument itself when nothing changes, so that identity tells equality.
 *
 * I1. No child is empty.
 * I2. Nothing changes a set that has been given away.
 */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/** A set under construction; give it away only when it is complete (I2). */
export interface MutableFieldSet extends FieldSet {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, MutableFieldSet>;
}

export const emptyFieldSet: FieldSet = { members: new Set(), children: new Map() };

export function mutableFieldSet(): MutableFieldSet {
  return { members: new Set(), children: new Map() };
}

/** Adds a path. The empty path stands for the whole object, which nobody owns: it adds nothing. */
export function insertPath(set: MutableFieldSet, path: readonly PathElement[]): void {
  let node = set;
  for (const [depth, element] of path.entries()) {
    if (depth === path.length - 1) {
      node.members.add(element);
      return;
    }
    let child = node.children.get(element);
    if (child === undefined) {
      child = mutableFieldSet();
      node.children.set(element, child);
    }
    node = child;
  }
}

export function isEmptyFieldSet(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const [depth, element] of path.entries()) {
    if (depth === path.length - 1) return node.members.has(element);
    node = node.children.get(element);
    if (node === undefined) return false;
  }
  return false;
}

/** Every path in `a` or `b`. */
export function unionOf(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptyFieldSet(b)) return a;
  if (isEmptyFieldSet(a)) return b;
  const members = b.members.isSubsetOf(a.members) ? a.members : a.members.union(b.members);
  const changed = new Map<PathElement, FieldSet>();
  for (const [element, child] of b.children) {
    const own = a.children.get(element);
    const joined = own === undefined ? child : unionOf(own, child);
    if (joined !== own) changed.set(element, joined);
  }
  return rebuilt(a, members, changed);
}

/** Every path in both `a` and `b`. */
export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const shared = other === undefined ? emptyFieldSet : intersectionOf(child, other);
    if (!isEmptyFieldSet(shared)) children.set(element, shared);
  }
  return { members: a.members.intersection(b.members), children };
}

/** Every path in `a` that is not in `b`; what lies below a path of `b` stays. */
export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, 'alone');
}

/** Every path in `a` that is neither in `b` nor below a path of `b`. */
export function exclude(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, 'with all below');
}

function subtract(a: FieldSet, b: FieldSet, mode: 'alone' | 'with all below'): FieldSet {
  if (isEmptyFieldSet(b)) return a;
  const members = a.members.isDisjointFrom(b.members) ? a.members : a.members.difference(b.members);
  const changed = new Map<PathElement, FieldSet>();
  for (const [element, child] of b.children) {
    const own = a.children.get(element);
    const rest = own === undefined ? undefined : subtract(own, child, mode);
    if (rest !== undefined && rest !== own) changed.set(element, rest);
  }
  if (mode === 'with all below') {
    for (const element of b.members) {
      if (a.children.has(element)) changed.set(element, emptyFieldSet);
    }
  }
  return rebuilt(a, members, changed);
}

/** `set` with other members and some other children; empty children are left out (I1). */
function rebuilt(
  set: FieldSet,
  members: ReadonlySet<PathElement>,
  changed: ReadonlyMap<PathElement, FieldSet>,
): FieldSet {
  if (members === set.members && changed.size === 0) return set;
  const children = new Map(set.children);
  for (const [element, child] of changed) {
    if (isEmptyFieldSet(child)) children.delete(element);
    else children.set(element, child);
  }
  return { members, children };
}

/** The paths that have nothing of the set below them. */
export function leavesOf(set: FieldSet): FieldSet {
  const members = new Set([...set.members].filter((element) => !set.children.has(element)));
  const children = new Map([...set.children].map(([element, child]) => [element, leavesOf(child)]));
  return { members, children };
}

export function equalFieldSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.members.size !== b.members.size || a.children.size !== b.children.size) return false;
  if (!a.members.isSubsetOf(b.members)) return false;
  return a.children.entries().every(([element, child]) => {
    const other = b.children.get(element);
    return other !== undefined && equalFieldSets(child, other);
  });
}

/** Every path, members of a node before what lies below it, both in order of their text. */
export function* pathsOf(set: FieldSet): Generator<readonly PathElement[]> {
  for (const element of [...set.members].sort()) yield [element];
  for (const element of [...set.children.keys()].sort()) {
    for (const path of pathsOf(set.children.get(element) ?? emptyFieldSet)) {
      yield [element, ...path];
    }
  }
}

/**
 * The set and every declared field on the way to its paths. Such a field exists only for what is
 * in it; entries of a map with free keys and items of a list exist by themselves.
 */
export function withDeclaredFields(set: FieldSet, type: FieldType): FieldSet {
  const resolved = resolveType(type, undefined);
  const members = new Set(set.members);
  const changed = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const name = fieldName(element);
    const isMap = resolved.kind === 'map' && name !== undefined;
    if (isMap && declaredField(resolved, name) !== undefined) members.add(element);
    const childType = isMap
      ? typeOfField(resolved, name)
      : resolved.kind === 'list'
        ? resolved.element
        : undefined;
    const completed = childType === undefined ? child : withDeclaredFields(child, childType);
    if (completed !== child) changed.set(element, completed);
  }
  return rebuilt(set, members.size === set.members.size ? set.members : members, changed);
}

/**
 * Reads a fieldsV1 document: `{"f:spec": {".": {}, "f:ports": {"k:{\"port\":80}": {}}}}`.
 *
 * @throws MachineryError `InvalidFieldSet`
 */
export function parseFieldSet(fieldsV1: unknown): FieldSet {
  if (!isJsonObject(fieldsV1)) {
    throw new MachineryError(
      'InvalidFieldSet',
      `Cannot read field set: found ${JSON.stringify(fieldsV1)}, expected an object`,
    );
  }
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const [key, value] of Object.entries(fieldsV1)) {
    if (key === '.') continue;
    const element = parsePathElement(key);
    const below = parseFieldSet(value);
    const isEmpty = isEmptyFieldSet(below);
    if (!isEmpty) children.set(element, below);
    if (isEmpty || (isJsonObject(value) && Object.hasOwn(value, '.'))) members.add(element);
  }
  return { members, children };
}

/** The fieldsV1 document of a set, keys in order. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const branches = [...set.children.keys()].filter((element) => !set.members.has(element));
  const document: Record<string, JsonObject> = {};
  for (const element of [...set.members, ...branches].sort()) {
    const child = set.children.get(element);
    const below = child === undefined ? {} : toFieldsV1(child);
    const isBoth = child !== undefined && set.members.has(element);
    document[element] = isBoth ? { '.': {}, ...below } : below;
  }
  return document;
}
