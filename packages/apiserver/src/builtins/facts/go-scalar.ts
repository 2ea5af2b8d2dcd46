import { isJsonObject } from '@fnlet/base';
import { formatQuantity, parseQuantity } from '@fnlet/machinery';
import type { ScalarName } from './message-fact.ts';

/** A scalar in the form in which Go writes it again, or why Go refuses it. */
export type DecodedScalar =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'mistyped' }
  | { readonly kind: 'refused'; readonly text: string };

const mistyped: DecodedScalar = { kind: 'mistyped' };

export function decodeScalar(scalar: ScalarName, value: unknown): DecodedScalar {
  switch (scalar) {
    case 'string':
      return typeof value === 'string' ? { kind: 'value', value } : mistyped;
    case 'bool':
      return typeof value === 'boolean' ? { kind: 'value', value } : mistyped;
    case 'int32':
      return isInteger(value, 2 ** 31) ? { kind: 'value', value } : mistyped;
    case 'int64':
      return isInteger(value, 2 ** 63) ? { kind: 'value', value } : mistyped;
    case 'float64':
      return typeof value === 'number' ? { kind: 'value', value } : mistyped;
    case 'bytes':
      return typeof value === 'string' ? decodeBase64(value) : mistyped;
    case 'Time':
    case 'MicroTime':
      return typeof value === 'string' ? decodeTime(value, scalar) : mistyped;
    case 'Quantity':
      return decodeQuantity(value);
    case 'IntOrString': {
      const fits = typeof value === 'string' || isInteger(value, 2 ** 31);
      return fits ? { kind: 'value', value } : mistyped;
    }
    case 'Duration':
      return typeof value === 'string' ? { kind: 'value', value } : mistyped;
    case 'FieldsV1':
      return isJsonObject(value) ? { kind: 'value', value } : mistyped;
    default:
      return { kind: 'value', value };
  }
}

function isInteger(value: unknown, bound: number): boolean {
  return Number.isInteger(value) && typeof value === 'number' && value >= -bound && value < bound;
}

// Line breaks are allowed in base64, and do not come back.
function decodeBase64(text: string): DecodedScalar {
  const joined = text.replace(/[\r\n]/g, '');
  const wrong = /[^A-Za-z0-9+/]/.exec(joined.replace(/={1,2}$/, ''))?.index;
  if (wrong !== undefined || joined.length % 4 !== 0) {
    const at = wrong ?? joined.length - (joined.length % 4);
    return { kind: 'refused', text: `illegal base64 data at input byte ${at}` };
  }
  return { kind: 'value', value: joined };
}

const timePattern =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function decodeTime(text: string, scalar: 'Time' | 'MicroTime'): DecodedScalar {
  const match = timePattern.exec(text);
  if (match === null) {
    const layout =
      scalar === 'Time' ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00';
    const problem = `parsing time ${JSON.stringify(text)} as "${layout}"`;
    return { kind: 'refused', text: `${problem}: cannot parse ${JSON.stringify(text)} as "2006"` };
  }
  const [, , , , fraction = '', zone = ''] = match;
  const whole = zone === 'Z' ? text.slice(0, 19) : utcSeconds(text);
  const micros = scalar === 'Time' ? '' : `.${fraction.slice(1).padEnd(6, '0').slice(0, 6)}`;
  return { kind: 'value', value: `${whole}${micros}Z` };
}

function utcSeconds(text: string): string {
  return new Date(text).toISOString().slice(0, 19);
}

function decodeQuantity(value: unknown): DecodedScalar {
  if (typeof value !== 'string' && typeof value !== 'number') return mistyped;
  const quantity = parseQuantity(value);
  if (quantity !== undefined) return { kind: 'value', value: formatQuantity(quantity) };
  const grammar = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
  return { kind: 'refused', text: `quantities must match the regular expression '${grammar}'` };
}
