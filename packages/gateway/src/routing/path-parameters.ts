import type { FieldChanges } from '../policy/field-changes.ts';

/** Tells functions the values of parameters, in the form of a query, to be decoded as one. */
const fieldName = 'X-Fnlet-Parameters';
const nothing: ReadonlySet<string> = new Set();

/**
 * How a request tells its function what the parameters are; what a client says about them is never
 * passed on.
 *
 * @param values as they came, percent-encoded
 */
export function parameterFields(
  names: readonly string[],
  values: readonly string[],
): FieldChanges | undefined {
  if (names.length === 0) return undefined;
  const pairs = names.map((name, index) => `${name}=${queryValue(values[index] ?? '')}`);
  return { remove: nothing, add: [[fieldName, pairs.join('&')]] };
}

// What means something in a query only did not have to be encoded in a path.
function queryValue(value: string): string {
  return value.replaceAll('&', '%26').replaceAll('+', '%2B');
}
