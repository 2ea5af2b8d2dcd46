import { isJsonObject } from '@fnlet/base';
import type { BuiltinFacts } from '../builtins/facts/builtin-facts.ts';
import type { FieldFact, MessageFact, TypeFact } from '../builtins/facts/message-fact.ts';
import { bodyDepthMax } from '../limits.ts';
import { ValueBudget } from '../request/value-budget.ts';
import { isSpecialMessage, readSpecial } from './special-message.ts';
import { WireError } from './wire-error.ts';
import { WireReader, wireTypes } from './wire-reader.ts';

type Fields = Record<string, unknown>;

/**
 * The JSON form of a protobuf message of a builtin type. Zero values that are on the wire are
 * there: which of them Go's JSON leaves out is for the decoder of JSON to say. Fields with unknown
 * numbers are passed over. Pure.
 *
 * @throws WireError for bytes that are no such message, StatusError `RequestEntityTooLarge` for too
 * many values
 */
export function readMessage(facts: BuiltinFacts, message: string, bytes: Uint8Array): Fields {
  const fields: Fields = {};
  new MessageReader(facts).message(facts.message(message), fields, { bytes, depth: 0 });
  return fields;
}

interface Input {
  readonly bytes: Uint8Array;
  readonly depth: number;
}

/** A value on the wire, of which the tag is read. */
interface Source {
  readonly reader: WireReader;
  readonly wireType: number;
  readonly depth: number;
  readonly field: FieldFact;
}

class MessageReader {
  readonly #facts: BuiltinFacts;
  readonly #budget = new ValueBudget();

  constructor(facts: BuiltinFacts) {
    this.#facts = facts;
  }

  /** Reads into `fields`: a message that comes in parts is merged, as protobuf says. */
  message(message: MessageFact, fields: Fields, { bytes, depth }: Input): void {
    if (depth > bodyDepthMax) throw new WireError('proto: exceeded max depth');
    const reader = new WireReader(bytes);
    while (!reader.isDone) {
      const tag = reader.tag();
      const field = message.wireFields.get(tag.field);
      if (field === undefined) reader.skip(tag.wireType);
      else this.#field(fields, { reader, wireType: tag.wireType, depth, field });
    }
  }

  #field(fields: Fields, source: Source): void {
    const { name, inline, type } = source.field;
    if (inline && type.kind === 'message') {
      const bytes = delimited(source);
      this.message(this.#facts.message(type.message), fields, { bytes, depth: source.depth + 1 });
    } else if (type.kind === 'list') {
      const before = fields[name];
      const list: unknown[] = Array.isArray(before) ? before : [];
      fields[name] = list;
      this.#items(list, type.item, source);
    } else if (type.kind === 'map') {
      const map = fieldsOf(fields[name]);
      fields[name] = map;
      this.#entry(map, type.item, source);
    } else {
      fields[name] = this.#value(type, source, fields[name]);
    }
  }

  // Numbers may come packed, many in one value, or one by one.
  #items(list: unknown[], item: TypeFact, source: Source): void {
    const isNumber = item.kind === 'scalar' && varints.has(item.scalar);
    if (!isNumber || source.wireType !== wireTypes.bytes) {
      list.push(this.#value(item, source, undefined));
      return;
    }
    const reader = new WireReader(source.reader.bytes());
    const packed = { ...source, reader, wireType: wireTypes.varint };
    while (!reader.isDone) list.push(this.#value(item, packed, undefined));
  }

  // An entry is a message of its own, with the key as field 1 and the value as field 2.
  #entry(map: Fields, item: TypeFact, source: Source): void {
    const reader = new WireReader(delimited(source));
    let key = '';
    let value: unknown;
    while (!reader.isDone) {
      const { field: number, wireType } = reader.tag();
      if (number === 1) key = reader.text();
      else if (number === 2) value = this.#value(item, { ...source, reader, wireType }, undefined);
      else reader.skip(wireType);
    }
    if (key === '__proto__') Object.defineProperty(map, key, { value, enumerable: true });
    else map[key] = value;
  }

  #value(type: TypeFact, source: Source, before: unknown): unknown {
    this.#budget.spend();
    if (type.kind === 'message') {
      const fields = fieldsOf(before);
      const message = this.#facts.message(type.message);
      this.message(message, fields, { bytes: delimited(source), depth: source.depth + 1 });
      return message.isList ? (fields.items ?? []) : fields;
    }
    if (type.kind !== 'scalar') throw new WireError(`proto: nested list in ${source.field.name}`);
    if (isSpecialMessage(type.scalar)) {
      const { depth } = source;
      const schema = (bytes: Uint8Array): unknown => {
        const fields: Fields = {};
        const props = this.#facts.message('apiextensions.v1.JSONSchemaProps');
        this.message(props, fields, { bytes, depth: depth + 1 });
        return fields;
      };
      return readSpecial(type.scalar, delimited(source), schema);
    }
    return plainValue(type.scalar, source);
  }
}

const varints: ReadonlySet<string> = new Set(['bool', 'int32', 'int64']);

function plainValue(scalar: string, source: Source): unknown {
  const { reader } = source;
  switch (scalar) {
    case 'bool':
      return varint(source) !== 0n;
    case 'int32':
      return Number(BigInt.asIntN(32, varint(source)));
    case 'int64':
      return Number(BigInt.asIntN(64, varint(source)));
    case 'float64':
      expectWireType(source, wireTypes.fixed64);
      return reader.double();
    case 'bytes':
      return Buffer.from(delimited(source)).toString('base64');
    default:
      expectWireType(source, wireTypes.bytes);
      return reader.text();
  }
}

function varint(source: Source): bigint {
  expectWireType(source, wireTypes.varint);
  return source.reader.varint();
}

function delimited(source: Source): Uint8Array {
  expectWireType(source, wireTypes.bytes);
  return source.reader.bytes();
}

function expectWireType({ wireType, field }: Source, expected: number): void {
  if (wireType === expected) return;
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1);
  throw new WireError(`proto: wrong wireType = ${wireType} for field ${name}`);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return isJsonObject(value);
}
