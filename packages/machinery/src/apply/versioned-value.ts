import type { TypedValue } from './typed-value.ts';

/** A value in the form that it has in one version of its API. */
export interface VersionedValue extends TypedValue {
  readonly apiVersion: string;
}

/** Converts a value to another version; undefined when that version does not exist any more. */
export type Convert = (value: VersionedValue, apiVersion: string) => TypedValue | undefined;

/** The value at a version; undefined when there is no such version. */
export function atVersion(
  value: VersionedValue,
  apiVersion: string,
  convert: Convert,
): VersionedValue | undefined {
  if (value.apiVersion === apiVersion) return value;
  const converted = convert(value, apiVersion);
  return converted === undefined ? undefined : { ...converted, apiVersion };
}
