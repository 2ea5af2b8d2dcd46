import { canonicalJson, isJsonObject } from '@fnlet/base';
import type { ListType } from '../field-type.ts';
import { MachineryError } from '../machinery-error.ts';

declare const brand: unique symbol;

/**
 * One step of a path into an object, in the form that fieldsV1 gives it, so that equal steps are
 * equal texts: `f:name` a field, `k:{"name":"a"}` the list item with these keys, `v:"a"` the item
 * of a set, `i:0` the item at an index.
 */
export type PathElement = string & { readonly [brand]: true };

function branded(text: string): PathElement {
  return text as PathElement;
}

export function fieldElement(name: string): PathElement {
  return branded(`f:${name}`);
}

/** The name of the field that this step takes; undefined for a step into a list. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

export function indexElement(index: number): PathElement {
  return branded(`i:${index}`);
}

// The canonical JSON of an object, written by hand: this runs for every item of every list.
function keyElement(keys: readonly (readonly [string, unknown])[]): PathElement {
  const sorted = keys.length > 1 ? keys.toSorted(([a], [b]) => (a < b ? -1 : 1)) : keys;
  const texts = sorted.map(([name, value]) => `${JSON.stringify(name)}:${scalarJson(value)}`);
  return branded(`k:{${texts.join(',')}}`);
}

function scalarJson(value: unknown): string {
  return typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value);
}

/** The names of the key fields of a `k:` step; none for other steps. */
export function keyNames(element: PathElement): readonly string[] {
  if (!element.startsWith('k:')) return [];
  const keys: unknown = JSON.parse(element.slice(2));
  return isJsonObject(keys) ? Object.keys(keys) : [];
}

/** A step, or why an item cannot be told from its neighbours. */
export type ItemIdentity =
  | { readonly element: PathElement; readonly problem?: undefined }
  | { readonly problem: string };

/** What identifies an item of a list: its value in a `set`, its keys in a `map`, else its place. */
export function identifyItem(type: ListType, item: unknown, index: number): ItemIdentity {
  switch (type.relationship) {
    case 'map':
      return identifyByKeys(type, item);
    case 'set':
      return identifyByValue(item);
    case 'atomic':
      return { element: indexElement(index) };
  }
}

function identifyByValue(item: unknown): ItemIdentity {
  if (isJsonObject(item)) {
    return { problem: "associative list without keys has an element that's a map type" };
  }
  if (Array.isArray(item)) {
    return { problem: 'not supported: associative list with lists as elements' };
  }
  if (item === null) {
    return { problem: "associative list without keys has an element that's an explicit null" };
  }
  return { element: branded(`v:${JSON.stringify(item)}`) };
}

function identifyByKeys(type: ListType, item: unknown): ItemIdentity {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isJsonObject(item)) {
    return { problem: 'associative list with keys may not have non-map elements' };
  }
  const keys: [string, unknown][] = [];
  for (const name of type.keys) {
    if (Object.hasOwn(item, name)) keys.push([name, item[name]]);
    else if (Object.hasOwn(type.keyDefaults, name)) keys.push([name, type.keyDefaults[name]]);
  }
  if (keys.length === 0) {
    const names = type.keys.map((name) => JSON.stringify(name)).join(' ');
    const text = `omits all key fields [${names}]`;
    return {
      problem:
        `associative list with keys has an element that ${text} ` +
        "(and doesn't have default values for any key fields)",
    };
  }
  return { element: keyElement(keys) };
}

/**
 * The step to an item. One that cannot be identified is known by its place: a stored object with a
 * bad item must not keep people from repairing it.
 */
export function itemElement(type: ListType, item: unknown, index: number): PathElement {
  const identity = identifyItem(type, item, index);
  return identity.problem === undefined ? identity.element : indexElement(index);
}

/**
 * Reads a key of a fieldsV1 document, whatever the order and spelling of the JSON in it.
 *
 * @throws MachineryError `InvalidFieldSet`
 */
export function parsePathElement(text: string): PathElement {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return branded(text);
    case 'v:':
      return branded(`v:${scalarJson(parseContent(text, content))}`);
    case 'k:': {
      const keys = parseContent(text, content);
      if (!isJsonObject(keys)) throw invalidElement(text);
      return keyElement(Object.entries(keys));
    }
    case 'i:':
      if (!/^\d{1,9}$/.test(content)) throw invalidElement(text);
      return indexElement(Number(content));
    default:
      throw invalidElement(text);
  }
}

function parseContent(text: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw invalidElement(text, cause);
  }
}

function invalidElement(text: string, cause?: unknown): MachineryError {
  return new MachineryError(
    'InvalidFieldSet',
    `Cannot read path element "${text}": expected f:<name>, k:<keys>, v:<value> or i:<index>`,
    { cause },
  );
}

/** A path as conflicts show it: `.spec.ports[port=80,protocol="TCP"].note`. */
export function formatPath(path: readonly PathElement[]): string {
  return path.map(formatPathElement).join('');
}

/** One step as conflicts show it. */
export function formatPathElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${content}`;
    case 'k:': {
      const keys: unknown = JSON.parse(content);
      const shown = isJsonObject(keys) ? Object.entries(keys) : [];
      return `[${shown.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v:':
      return `[=${content}]`;
    default:
      return `[${content}]`;
  }
}
