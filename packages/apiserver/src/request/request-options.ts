import {
  type FieldError,
  type FieldErrorReason,
  invalidError,
  type StatusError,
} from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import { fieldManagerBytesMax } from '../limits.ts';

/** How a body with unknown or duplicate fields is answered (KEP-2885). */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Query parameters of a create, update or patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Who will own the written fields; empty when the client does not say. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Server-side apply: take fields from their owners. */
  readonly force: boolean;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** The 422 for a query parameter, in the words of metav1 validation. */
export function invalidOption(
  kind: OptionsKind | 'ListOptions',
  errors: readonly FieldError[],
): StatusError {
  const error = invalidError({ group: 'meta.k8s.io', kind }, '', errors);
  return error;
}

/** @throws StatusError `Invalid` */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: OptionsKind,
  isApply = false,
): WriteOptions {
  const errors: FieldError[] = [...checkDryRun(query.getAll('dryRun'))];
  const fieldManager = query.get('fieldManager') ?? '';
  errors.push(...checkFieldManager(fieldManager));
  const validation = query.get('fieldValidation') ?? '';
  if (!isFieldValidation(validation)) {
    const text = `Unsupported value: "${validation}": supported values: "", "Ignore", "Strict", "Warn"`;
    errors.push(fieldError('FieldValueNotSupported', 'fieldValidation', text));
  }
  const force = query.get('force');
  if (kind === 'PatchOptions' && isApply && fieldManager === '') {
    errors.push(
      fieldError(
        'FieldValueRequired',
        'fieldManager',
        'Required value: is required for apply patch',
      ),
    );
  }
  if (kind === 'PatchOptions' && !isApply && force !== null) {
    const text = 'Forbidden: may not be specified for non-apply patch';
    errors.push(fieldError('FieldValueForbidden', 'force', text));
  }
  if (errors.length > 0) throw invalidOption(kind, errors);
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    fieldManager,
    fieldValidation: isFieldValidation(validation) && validation !== '' ? validation : 'Warn',
    force: force === 'true' || force === '1',
  };
}

function isFieldValidation(text: string): text is FieldValidation | '' {
  return text === '' || text === 'Strict' || text === 'Warn' || text === 'Ignore';
}

/** Only `All` is known; the same value in the query and in DeleteOptions. */
export function checkDryRun(values: readonly string[]): readonly FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  const text = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`;
  return [fieldError('FieldValueNotSupported', 'dryRun', text)];
}

function checkFieldManager(name: string): readonly FieldError[] {
  if (Buffer.byteLength(name) > fieldManagerBytesMax) {
    const text = `Too long: may not be more than ${fieldManagerBytesMax} bytes`;
    return [fieldError('FieldValueTooLong', 'fieldManager', text)];
  }
  const found = [...name].findIndex((character) => /\p{C}/u.test(character));
  if (found < 0) return [];
  const code = ([...name][found]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const text = `Invalid value: ${JSON.stringify(name).replace(/\\u00(..)/g, '\\x$1')}: invalid character U+${code} (at position ${found})`;
  return [fieldError('FieldValueInvalid', 'fieldManager', text)];
}

export function fieldError(reason: FieldErrorReason, field: string, message: string): FieldError {
  return { reason, field, message };
}

/** A whole number from the query. @throws StatusError `BadRequest` in strconv's words. */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** Go's strconv.ParseBool, where an empty value of a present parameter means true. */
export function parseFlag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return !['0', 'false', 'f', 'F', 'FALSE', 'False'].includes(text);
}
