import { isJsonObject } from '@fnlet/base';
import { builtinFacts } from '../src/builtins/facts/builtin-facts.ts';
import type { MessageFact, ScalarName, TypeFact } from '../src/builtins/facts/message-fact.ts';

// Writes JSON as the protobuf that a Go client would send. Only for tests: it trusts its input.

export function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

export function delimited(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function numeric(number: number, value: bigint | number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

/** An object in the envelope in which it goes over the wire. */
export function envelope(type: { apiVersion: string; kind: string }, raw: Uint8Array): Buffer {
  const meta = Buffer.concat([delimited(1, type.apiVersion), delimited(2, type.kind)]);
  const unknown = [delimited(1, meta), delimited(2, raw), delimited(3, ''), delimited(4, '')];
  return Buffer.concat([Buffer.from('k8s\0'), ...unknown]);
}

export function writeMessage(message: string, value: unknown): Buffer {
  return writeFields(builtinFacts.message(message), isJsonObject(value) ? value : {});
}

function writeFields(message: MessageFact, value: Readonly<Record<string, unknown>>): Buffer {
  const parts = [...message.wireFields.values()].map((field) => {
    if (field.inline && field.type.kind === 'message') {
      return delimited(field.number, writeMessage(field.type.message, value));
    }
    const item = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    return item === undefined ? Buffer.alloc(0) : writeValue(field.number, field.type, item);
  });
  return Buffer.concat(parts);
}

function writeValue(number: number, type: TypeFact, value: unknown): Buffer {
  switch (type.kind) {
    case 'list': {
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      return Buffer.concat(items.map((item) => writeValue(number, type.item, item)));
    }
    case 'map': {
      const entries = Object.entries(isJsonObject(value) ? value : {}).map(([key, item]) =>
        delimited(number, Buffer.concat([delimited(1, key), writeValue(2, type.item, item)])),
      );
      return Buffer.concat(entries);
    }
    case 'message': {
      const { isList } = builtinFacts.message(type.message);
      return delimited(number, writeMessage(type.message, isList ? { items: value } : value));
    }
    case 'scalar':
      return writeScalar(number, type.scalar, value);
  }
}

function writeScalar(number: number, scalar: ScalarName, value: unknown): Buffer {
  switch (scalar) {
    case 'string':
      return delimited(number, String(value));
    case 'bool':
      return numeric(number, value === true ? 1 : 0);
    case 'int32':
    case 'int64':
      return numeric(number, Number(value));
    case 'float64': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return Buffer.concat([varint((number << 3) | 1), bytes]);
    }
    case 'bytes':
      return delimited(number, Buffer.from(String(value), 'base64'));
    case 'Time':
    case 'MicroTime': {
      const [, fraction = ''] = /\.(\d+)Z$/.exec(String(value)) ?? [];
      const seconds = Math.floor(Date.parse(String(value)) / 1000);
      const nanos = numeric(2, Number(fraction.padEnd(9, '0')));
      return delimited(number, Buffer.concat([numeric(1, seconds), nanos]));
    }
    case 'Quantity':
      return delimited(number, delimited(1, String(value)));
    case 'IntOrString': {
      const parts =
        typeof value === 'number'
          ? [numeric(1, 0), numeric(2, value)]
          : [numeric(1, 1), delimited(3, String(value))];
      return delimited(number, Buffer.concat(parts));
    }
    default:
      return delimited(number, delimited(1, JSON.stringify(value)));
  }
}
