import { errorMessage, isJsonObject, unreachable } from '@fnlet/base';
import { toKubeMicroTime, toKubeTime } from '@fnlet/machinery';
import { specialNames } from '../builtins/facts/message-fact.ts';
import { formatGoDuration } from './go-duration.ts';
import { WireError } from './wire-error.ts';
import { WireReader, type WireTag } from './wire-reader.ts';

/** Types that are messages in protobuf and something else in JSON. */
export type SpecialMessage = (typeof specialNames)[number];

export function isSpecialMessage(scalar: string): scalar is SpecialMessage {
  return specialNames.some((name) => name === scalar);
}

/**
 * The JSON form of a special message; `undefined` for what JSON leaves out. `schema` reads a
 * JSONSchemaProps. Numbers of fields: meta/v1, api/resource, util/intstr and apiextensions/v1,
 * generated.proto.
 *
 * @throws WireError
 */
export function readSpecial(
  type: SpecialMessage,
  bytes: Uint8Array,
  schema: (bytes: Uint8Array) => unknown,
): unknown {
  switch (type) {
    case 'Time':
    case 'MicroTime':
      return readTime(type, bytes);
    case 'Duration':
      return formatGoDuration(readNumbers(bytes).get(1) ?? 0n);
    case 'Quantity':
      return readText(bytes, 1);
    case 'IntOrString':
      return readIntOrString(bytes);
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return readJson(bytes);
    case 'JSONSchemaPropsOrArray':
    case 'JSONSchemaPropsOrBool':
    case 'JSONSchemaPropsOrStringArray':
      return readUnion(type, bytes, schema);
    default:
      return unreachable(type);
  }
}

function eachField(bytes: Uint8Array, read: (tag: WireTag, reader: WireReader) => boolean): void {
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    const tag = reader.tag();
    if (!read(tag, reader)) reader.skip(tag.wireType);
  }
}

/** The varint fields of a message, as signed numbers. */
function readNumbers(bytes: Uint8Array): ReadonlyMap<number, bigint> {
  const numbers = new Map<number, bigint>();
  eachField(bytes, ({ field, wireType }, reader) => {
    if (wireType !== 0) return false;
    numbers.set(field, BigInt.asIntN(64, reader.varint()));
    return true;
  });
  return numbers;
}

function readText(bytes: Uint8Array, number: number): string {
  let text = '';
  eachField(bytes, ({ field, wireType }, reader) => {
    if (field !== number || wireType !== 2) return false;
    text = reader.text();
    return true;
  });
  return text;
}

// RFC 3339 has the years 0 to 9999.
const secondsMin = -62_167_219_200n;
const secondsMax = 253_402_300_799n;

// An empty message is Go's zero time, which JSON shows as null. Go keeps the nanoseconds of a
// MicroTime only, down to micros.
function readTime(type: 'Time' | 'MicroTime', bytes: Uint8Array): string | undefined {
  if (bytes.byteLength === 0) return undefined;
  const numbers = readNumbers(bytes);
  const seconds = numbers.get(1) ?? 0n;
  const nanos = numbers.get(2) ?? 0n;
  if (seconds > secondsMax || seconds < secondsMin || nanos < 0n || nanos >= 1_000_000_000n) {
    throw new WireError('Time.MarshalJSON: year outside of range [0,9999]');
  }
  const epochMs = Number(seconds) * 1000;
  if (type === 'Time') return toKubeTime(epochMs);
  const micros = String(nanos / 1000n).padStart(6, '0');
  return toKubeMicroTime(epochMs).replace(/\.\d+Z$/, `.${micros}Z`);
}

function readIntOrString(bytes: Uint8Array): number | string {
  const numbers = readNumbers(bytes);
  if (numbers.get(1) === 1n) return readText(bytes, 3);
  return Number(BigInt.asIntN(32, numbers.get(2) ?? 0n));
}

function readJson(bytes: Uint8Array): unknown {
  const text = readText(bytes, 1);
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WireError(`json: error calling MarshalJSON: ${errorMessage(error)}`, error);
  }
}

// Field 1 says whether additional properties are allowed, or is the schema; the rest is the list.
function readUnion(
  type: Extract<SpecialMessage, `JSONSchemaPropsOr${string}`>,
  bytes: Uint8Array,
  schema: (bytes: Uint8Array) => unknown,
): unknown {
  let single: unknown;
  let allows = false;
  const list: unknown[] = [];
  eachField(bytes, ({ field, wireType }, reader) => {
    if (type === 'JSONSchemaPropsOrBool' && field === 1 && wireType === 0) {
      allows = reader.varint() !== 0n;
      return true;
    }
    const isSchema = field === (type === 'JSONSchemaPropsOrBool' ? 2 : 1);
    if (wireType !== 2 || (!isSchema && field !== 2)) return false;
    if (isSchema) single = schema(reader.bytes());
    else list.push(type === 'JSONSchemaPropsOrArray' ? schema(reader.bytes()) : reader.text());
    return true;
  });
  if (isJsonObject(single)) return single;
  return type === 'JSONSchemaPropsOrBool' ? allows : list;
}
