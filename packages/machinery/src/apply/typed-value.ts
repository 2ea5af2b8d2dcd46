import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldType } from '../field-type.ts';

/** A value and the type by which it is compared, merged and owned. */
export interface TypedValue {
  readonly value: unknown;
  readonly type: FieldType;
}

const noFields: JsonObject = {};
const noItems: readonly unknown[] = [];

/** The fields of a value that is walked as a map; none when it is something else. */
export function fieldsIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : noFields;
}

/** The items of a value that is walked as a list; none when it is something else. */
export function itemsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : noItems;
}

/** Whether a value has nothing inside, walked as a map or list. */
export function isHollow(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isJsonObject(value) || Object.keys(value).length === 0;
}
