import type { RequestHead } from '../http1/request-head.ts';
import type { FieldChanges } from '../policy/field-changes.ts';

/** Tells functions the values of parameters, in the form of a query, to be decoded as one. */
const fieldName = 'X-Fnlet-Parameters';
const removed: ReadonlySet<string> = new Set([fieldName.toLowerCase()]);

/**
 * How a request tells its function what the parameters are; nobody but the Gateway says so.
 *
 * @param values as they came, percent-encoded
 */
export function parameterFields(
  { fields }: RequestHead,
  names: readonly string[],
  values: readonly string[],
): FieldChanges | undefined {
  if (names.length > 0) {
    const pairs = names.map((name, index) => `${name}=${queryValue(values[index] ?? '')}`);
    return { remove: removed, add: [[fieldName, pairs.join('&')]] };
  }
  const isForged = /^x[-_]fnlet[-_]parameters:/im.test(fields.kept);
  return isForged ? { remove: removed, add: [] } : undefined;
}

// What means something in a query only did not have to be encoded in a path.
function queryValue(value: string): string {
  return value.replaceAll('&', '%26').replaceAll('+', '%2B');
}
