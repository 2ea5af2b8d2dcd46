import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { withFields } from '../object/object-form.ts';

// The vocabulary of defaults: functions from an object to the one that it stands for. Nothing is
// changed in place, and an object that needs no default comes back as it is.

/** Makes one value of another; used for the parts of an object. */
export type Change = (value: JsonObject) => JsonObject;

/** The object with defaults for fields that are missing; the empty text counts as missing. */
export function fill(object: JsonObject, defaults: JsonObject): JsonObject {
  return filled(object, defaults, (value) => isMissing(value) || value === '');
}

/** Like {@link fill}, for fields whose zero also means that nothing was said. */
export function fillZero(object: JsonObject, defaults: JsonObject): JsonObject {
  return filled(object, defaults, (value) => isMissing(value) || value === '' || value === 0);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function filled(
  object: JsonObject,
  defaults: JsonObject,
  isOpen: (value: unknown) => boolean,
): JsonObject {
  const open = Object.entries(defaults).filter(([field]) => isOpen(object[field]));
  return open.length === 0 ? object : { ...object, ...Object.fromEntries(open) };
}

/** The object with one of its fields changed, when that is an object. */
export function change(object: JsonObject, field: string, by: Change): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? { ...object, [field]: by(value) } : object;
}

/** The object with the items of one of its lists changed. */
export function changeItems(object: JsonObject, field: string, by: Change): JsonObject {
  const list = object[field];
  if (!Array.isArray(list)) return object;
  return {
    ...object,
    [field]: list.map((item: unknown) => (isJsonObject(item) ? by(item) : item)),
  };
}

/** The object with its spec changed; a missing spec is an empty one, as Go sees it. */
export function changeSpec(object: KubeObject, by: Change): KubeObject {
  return withFields(object, { spec: by(isJsonObject(object.spec) ? object.spec : {}) });
}
