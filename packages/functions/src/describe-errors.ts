import type { FieldError } from '@fnlet/machinery';

/** Errors of a schema in words; not the one that only says that there may be more. */
export function describeErrors(errors: readonly FieldError[]): readonly string[] {
  return errors
    .filter(({ field }) => field !== '<nil>')
    .map(({ field, message }) => `${field}: ${message}`);
}
