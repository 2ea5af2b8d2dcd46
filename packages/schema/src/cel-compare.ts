import { compareQuantities } from '@fnlet/machinery';
import {
  type CelList,
  type CelMap,
  type CelStruct,
  type CelValue,
  celItems,
  celKind,
} from './cel-value.ts';
import { compareSemver } from './semver.ts';

/**
 * Whether two values are equal as CEL means it: numbers by value whatever their types, lists and
 * maps by content, lists of type set or map without regard to their order (KEP-2876).
 */
export function celEqual(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a === 'string' || typeof b === 'string') return false;
  if (isNumber(a) || isNumber(b)) return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (!('kind' in a) || !('kind' in b)) {
    return !('kind' in a) && !('kind' in b) && compareBytes(a, b) === 0;
  }
  if (a.kind === 'list' && b.kind === 'list') return equalLists(a, b);
  if (a.kind === 'map' && b.kind === 'map') return equalMaps(a, b);
  if (a.kind === 'optional' && b.kind === 'optional') {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return celEqual(a.value, b.value);
  }
  return equalScalars(a, b);
}

function equalScalars(a: Exclude<CelValue, null>, b: Exclude<CelValue, null>): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !('kind' in a) || !('kind' in b)) {
    return false;
  }
  if (a.kind === 'type') return b.kind === 'type' && a.name === b.name;
  if (a.kind === 'url') return b.kind === 'url' && a.url.href === b.url.href;
  if (a.kind === 'ip') return b.kind === 'ip' && `${a.ip.bytes}` === `${b.ip.bytes}`;
  if (a.kind === 'cidr') {
    const prefix = b.kind === 'cidr' && a.cidr.prefixLength === b.cidr.prefixLength;
    return prefix && `${a.cidr.ip.bytes}` === `${b.cidr.ip.bytes}`;
  }
  if (a.kind === 'format') return b.kind === 'format' && a.name === b.name;
  if (a.kind === 'struct') return b.kind === 'struct' && equalStructs(a, b);
  return celOrder(a, b) === 0;
}

function equalStructs(a: CelStruct, b: CelStruct): boolean {
  if (a.name !== b.name || a.fields.size !== b.fields.size) return false;
  return a.fields.entries().every(([name, field]) => {
    const other = b.fields.get(name);
    return other !== undefined && celEqual(field, other);
  });
}

function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  const identity = a.identity ?? b.identity;
  const [left, right] = [celItems(a), celItems(b)];
  if (identity === undefined) return left.every((item, i) => celEqual(item, right[i] ?? null));
  // Sets of scalars compare by their keys; everything else by searching, as the lists are short.
  return left.every((item) => right.some((other) => celEqual(item, other)));
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const [left, right] = [a.get(key), b.get(key)];
    return left !== undefined && right !== undefined && celEqual(left, right);
  });
}

/** Negative, zero or positive; `undefined` when the two cannot be ordered. */
export function celOrder(a: CelValue, b: CelValue): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (celKind(a) !== celKind(b) || typeof a !== 'object' || typeof b !== 'object') return undefined;
  if (a === null || b === null) return undefined;
  if (!('kind' in a)) return 'kind' in b ? undefined : compareBytes(a, b);
  if (!('kind' in b)) return undefined;
  if (a.kind === 'timestamp' || a.kind === 'duration') {
    return b.kind === a.kind ? sign(a.nanos, b.nanos) : undefined;
  }
  if (a.kind === 'quantity') {
    return b.kind === 'quantity' ? compareQuantities(a.quantity, b.quantity) : undefined;
  }
  if (a.kind === 'semver' && b.kind === 'semver') return compareSemver(a.version, b.version);
  return undefined;
}

type CelNumber = bigint | number | { readonly kind: 'uint'; readonly value: bigint };

function isNumber(value: CelValue): value is CelNumber {
  if (typeof value === 'bigint' || typeof value === 'number') return true;
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'uint';
}

// JavaScript compares a bigint with a number by value, without rounding either.
function compareNumbers(a: CelNumber, b: CelNumber): number | undefined {
  const left = typeof a === 'object' ? a.value : a;
  const right = typeof b === 'object' ? b.value : b;
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(left) || Number.isNaN(right) ? undefined : 0;
}

function sign(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

// By code points: JavaScript orders by UTF-16 units, which puts U+10000 before U+FFFF.
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left === right) continue;
    const [leftHigh, rightHigh] = [isSurrogate(left), isSurrogate(right)];
    return leftHigh === rightHigh ? left - right : leftHigh ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Whether `value` is among the items. */
export function celContains(list: CelList, value: CelValue): boolean {
  for (let i = 0; i < list.size; i += 1) if (celEqual(list.at(i), value)) return true;
  return false;
}
