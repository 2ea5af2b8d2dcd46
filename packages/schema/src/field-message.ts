import { canonicalJson, isJsonObject } from '@fnlet/base';
import type { FieldError, FieldErrorReason } from '@fnlet/machinery';
import { pathCharactersMax } from './limits.ts';

/**
 * The texts of k8s.io/apimachinery's field.Error: what kubectl prints after the path. The path of
 * the root is `<nil>`, as Go prints it.
 */
function fieldError(reason: FieldErrorReason, path: string, message: string): FieldError {
  return { reason, field: path === '' ? '<nil>' : path, message };
}

export function invalidField(path: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, `Invalid value: ${formatValue(value)}: ${detail}`);
}

/** An invalid object or array whose content is too large to be repeated. */
export function invalidFieldOmitted(path: string, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, `Invalid value: ${detail}`);
}

export function wrongType(path: string, value: unknown, detail: string): FieldError {
  const message = `Invalid value: ${formatValue(value)}: ${detail}`;
  return fieldError('FieldValueTypeInvalid', path, message);
}

export function requiredField(path: string, detail?: string): FieldError {
  return fieldError('FieldValueRequired', path, withDetail('Required value', detail));
}

export function forbiddenField(path: string, detail: string): FieldError {
  return fieldError('FieldValueForbidden', path, withDetail('Forbidden', detail));
}

export function duplicateField(path: string, value: unknown): FieldError {
  return fieldError('FieldValueDuplicate', path, `Duplicate value: ${formatValue(value)}`);
}

/** A duplicate object or array whose content is too large to be repeated. */
export function duplicateFieldOmitted(path: string): FieldError {
  return fieldError('FieldValueDuplicate', path, 'Duplicate value');
}

export function notSupported(
  path: string,
  value: unknown,
  supported: readonly unknown[],
): FieldError {
  const values = supported.map((item) => quote(typeof item === 'string' ? item : jsonOf(item)));
  const message =
    `Unsupported value: ${formatValue(value)}: supported values: ` + `${values.join(', ')}`;
  return fieldError('FieldValueNotSupported', path, message);
}

export function tooLong(path: string, bytesMax: number): FieldError {
  const message = `Too long: may not be more than ${bytesMax} bytes`;
  return fieldError('FieldValueTooLong', path, message);
}

export function tooMany(path: string, actual: number, max: number): FieldError {
  const items = max === 1 ? 'item' : 'items';
  const message = `Too many: ${actual}: must have at most ${max} ${items}`;
  return fieldError('FieldValueTooMany', path, message);
}

/** A value as Go prints it inside a field error. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatNumber(value);
  return jsonOf(value);
}

/** Go's `%v` of a float64, which JavaScript shares except for small exponents (`1e-05`). */
export function formatNumber(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

export function quote(text: string): string {
  return JSON.stringify(text);
}

/** What nests deep in long names is told of by its beginning. */
export function childPath(path: string, field: string): string {
  if (path.length > pathCharactersMax) return path;
  const long = field.length > pathCharactersMax;
  const shown = long ? `${field.slice(0, pathCharactersMax)}...` : field;
  return path === '' ? shown : `${path}.${shown}`;
}

function jsonOf(value: unknown): string {
  return isJsonObject(value) || Array.isArray(value) ? canonicalJson(value) : JSON.stringify(value);
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined || detail === '' ? text : `${text}: ${detail}`;
}
