import { formatQuantity } from '@fnlet/machinery';
import { celError } from './cel-error.ts';
import {
  asBool,
  asBytes,
  asDouble,
  asDuration,
  asInt,
  asString,
  asTagged,
  asTimestamp,
  asUint,
  type CelOverload,
  checkedInt,
  checkedUint,
  overload,
} from './cel-function.ts';
import { formatDuration, formatTimestamp } from './cel-time.ts';
import { type CelValue, celKind } from './cel-value.ts';
import { formatCidr, formatIp } from './ip-address.ts';
import { codePoints } from './string-check.ts';

/** Conversions between types, and sizes. */
export const celConversions = (): readonly CelOverload[] => [
  overload('dyn(T): dyn', ([value = null]) => value),
  overload('type(T): type', ([value = null]) => ({ kind: 'type', name: typeName(value) })),
  overload('int(int): int', ([value]) => asInt(value)),
  overload('int(uint): int', ([value]) => checkedInt(asUint(value))),
  overload('int(double): int', ([value]) => toInteger(asDouble(value), checkedInt)),
  overload('int(string): int', ([value]) =>
    checkedInt(parseInteger(asString(value), /^[+-]?\d+$/)),
  ),
  overload('uint(uint): uint', ([value]) => checkedUint(asUint(value))),
  overload('uint(int): uint', ([value]) => checkedUint(asInt(value))),
  overload('uint(double): uint', ([value]) => toInteger(asDouble(value), checkedUint)),
  overload('uint(string): uint', ([value]) => checkedUint(parseInteger(asString(value), /^\d+$/))),
  overload('double(double): double', ([value]) => asDouble(value)),
  overload('double(int): double', ([value]) => Number(asInt(value))),
  overload('double(uint): double', ([value]) => Number(asUint(value))),
  overload('double(string): double', ([value]) => parseDouble(asString(value))),
  overload('bool(bool): bool', ([value]) => asBool(value)),
  overload('bool(string): bool', ([value]) => parseBool(asString(value))),
  overload('bytes(bytes): bytes', ([value]) => asBytes(value)),
  overload('bytes(string): bytes', ([value]) => new TextEncoder().encode(asString(value))),
  overload('string(string): string', ([value]) => asString(value)),
  overload('string(int): string', ([value]) => String(asInt(value))),
  overload('string(uint): string', ([value]) => String(asUint(value))),
  overload('string(double): string', ([value]) => formatDouble(asDouble(value))),
  overload('string(bool): string', ([value]) => String(asBool(value))),
  overload('string(bytes): string', ([value]) => decodeUtf8(asBytes(value))),
  overload('string(timestamp): string', ([value]) => formatTimestamp(asTimestamp(value))),
  overload('string(duration): string', ([value]) => formatDuration(asDuration(value))),
  overload('string(ip): string', ([value]) => formatIp(asTagged('ip', value).ip)),
  overload('string(cidr): string', ([value]) => formatCidr(asTagged('cidr', value).cidr)),
  overload('string(quantity): string', ([value]) =>
    formatQuantity(asTagged('quantity', value).quantity),
  ),
  ...sizes('string', (value) => codePoints(asString(value))),
  ...sizes('bytes', (value) => asBytes(value).length),
  ...sizes('list<T>', (value) => asTagged('list', value).size),
  ...sizes('map<K, V>', (value) => asTagged('map', value).size),
];

function sizes(
  type: string,
  size: (value: CelValue | undefined) => number,
): readonly CelOverload[] {
  return [
    overload(`size(${type}): int`, ([value]) => BigInt(size(value))),
    overload(`${type}.size(): int`, ([value]) => BigInt(size(value))),
  ];
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'google.protobuf.Timestamp'],
  ['duration', 'google.protobuf.Duration'],
]);

function typeName(value: CelValue): string {
  const kind = celKind(value);
  return typeNames.get(kind) ?? kind;
}

function toInteger<T>(value: number, check: (value: bigint) => T): T {
  if (!Number.isFinite(value)) throw celError('range error converting to int');
  return check(BigInt(Math.trunc(value)));
}

function parseInteger(text: string, pattern: RegExp): bigint {
  if (!pattern.test(text)) throw celError(`cannot parse ${JSON.stringify(text)} as an integer`);
  return text.startsWith('+') ? BigInt(text.slice(1)) : BigInt(text);
}

function parseDouble(text: string): number {
  const special = /^[+-]?(?:inf(?:inity)?|nan)$/i.exec(text);
  if (special !== null) {
    if (/nan/i.test(text)) return Number.NaN;
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    throw celError(`cannot parse ${JSON.stringify(text)} as a double`);
  }
  return Number(text);
}

function parseBool(text: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw celError(`cannot parse ${JSON.stringify(text)} as a bool`);
}

/** A double as cel-go writes it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw celError(`invalid UTF-8 in bytes, cannot convert to string: ${String(cause)}`);
  }
}
