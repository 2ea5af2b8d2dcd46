/** Casts between the three types (CESQL 1.0, section 3.7). What fails gives the zero value. */
import type { CesqlTrouble } from './cesql-error.ts';
import type { CesqlType, CesqlValue } from './expression.ts';

/** What went wrong so far, collected while an expression is evaluated. */
export type Troubles = CesqlTrouble[];

export function typeOf(value: CesqlValue): CesqlType {
  if (typeof value === 'string') return 'String';
  return typeof value === 'number' ? 'Integer' : 'Boolean';
}

export function toText(value: CesqlValue): string {
  return String(value);
}

export function toInteger(value: CesqlValue, troubles: Troubles): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const integer = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (isInteger(integer)) return integer + 0;
  tellFailed(value, 'Integer', troubles);
  return 0;
}

export function toBoolean(value: CesqlValue, troubles: Troubles): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  const lower = value.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  tellFailed(value, 'Boolean', troubles);
  return false;
}

/** To whichever type. */
export function castTo(type: CesqlType, value: CesqlValue, troubles: Troubles): CesqlValue {
  if (type === 'String') return toText(value);
  return type === 'Integer' ? toInteger(value, troubles) : toBoolean(value, troubles);
}

/** Whether a number is a whole one of 32 bits. */
export function isInteger(value: number): boolean {
  return value === (value | 0);
}

/** Tells of a value that is nothing of this type. */
export function tellFailed(value: CesqlValue, type: CesqlType, troubles: Troubles): void {
  const message = `found ${JSON.stringify(value)}, expected what can be cast to ${type}`;
  troubles.push({ code: 'CastError', message });
}
