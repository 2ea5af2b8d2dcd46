import type { FieldError } from '@fnlet/machinery';

// The refusals of k8s.io/apimachinery, util/validation/field, in the words that kubectl prints.

/** A value of the wrong form; `problem` says which form it must have, where there is more to say. */
export function invalid(path: string, value: unknown, problem: string): FieldError {
  const rest = problem === '' ? '' : `: ${problem}`;
  return {
    reason: 'FieldValueInvalid',
    field: path,
    message: `Invalid value: ${shown(value)}${rest}`,
  };
}

/** As `invalid`, of what is too large to be shown. */
export function invalidUnshown(path: string, problem: string): FieldError {
  return { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${problem}` };
}

/** A value that must be there and is not. */
export function missing(path: string, why = ''): FieldError {
  const message = why === '' ? 'Required value' : `Required value: ${why}`;
  return { reason: 'FieldValueRequired', field: path, message };
}

/** A value that must not be there, or not change. */
export function forbidden(path: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field: path, message: `Forbidden: ${why}` };
}

/** A value that is none of the known ones. */
export function notSupported(path: string, value: unknown, known: readonly string[]): FieldError {
  const supported = known.map((name) => JSON.stringify(name)).join(', ');
  const message = `Unsupported value: ${shown(value)}: supported values: ${supported}`;
  return { reason: 'FieldValueNotSupported', field: path, message };
}

/** A value that may stand only once in its list. */
export function duplicate(path: string, value: unknown): FieldError {
  const message = `Duplicate value: ${shown(value)}`;
  return { reason: 'FieldValueDuplicate', field: path, message };
}

/** A value that refers to something that is not there. */
export function unknownReference(path: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field: path, message: `Not found: ${shown(value)}` };
}

/** More bytes than there may be. */
export function tooLong(path: string, bytesMax: number): FieldError {
  const message = `Too long: may not be more than ${bytesMax} bytes`;
  return { reason: 'FieldValueTooLong', field: path, message };
}

/** More items than there may be. */
export function tooMany(path: string, count: number, countMax: number): FieldError {
  const message = `Too many: ${count}: must have at most ${countMax} items`;
  return { reason: 'FieldValueTooMany', field: path, message };
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
