import { isJsonObject, type JsonObject } from '@fnlet/base';
import { complaintsMax, pathCharactersMax } from '../../limits.ts';
import type { BuiltinFacts } from './builtin-facts.ts';
import { decodeScalar } from './go-scalar.ts';
import type { FieldFact, MessageFact, TypeFact } from './message-fact.ts';

/**
 * A builtin object as a Go server has it after decoding: without nulls, without fields that its
 * type does not have, without zero values that Go leaves out, with scalars in their canonical form.
 */
export interface GoDecoded {
  readonly value: JsonObject;
  /** Paths of the first fields that the type does not have, such as `spec.containers[0].zz`. */
  readonly unknownFields: readonly string[];
  /** What the first value of a wrong type is refused with, in encoding/json's words. */
  readonly problem: string | undefined;
}

/** Decodes values as Go decodes JSON into its structs (sigs.k8s.io/json). Pure. */
export function decodeGo(facts: BuiltinFacts, message: string, value: JsonObject): GoDecoded {
  const decoder = new GoDecoder(facts);
  const decoded = decoder.struct(facts.message(message), value, root);
  return { value: decoded, unknownFields: decoder.unknownFields.sort(), problem: decoder.problem };
}

/** Where a value is: for people with indices, for Go's errors without, and in which struct. */
interface Place {
  readonly path: string;
  readonly goPath: string;
  readonly struct: string;
}

const root: Place = { path: '', goPath: '', struct: '' };

class GoDecoder {
  readonly #facts: BuiltinFacts;
  readonly unknownFields: string[] = [];
  problem: string | undefined;

  constructor(facts: BuiltinFacts) {
    this.#facts = facts;
  }

  struct(message: MessageFact, value: JsonObject, place: Place): JsonObject {
    const decoded: Record<string, unknown> = {};
    const struct = typeOf(message.name);
    for (const [name, item] of Object.entries(value)) {
      const path = pathOf(place.path, name);
      const field = message.fields.get(name);
      if (field === undefined) {
        if (message.isKind && (name === 'apiVersion' || name === 'kind')) decoded[name] = item;
        else if (this.unknownFields.length < complaintsMax) this.unknownFields.push(path);
        continue;
      }
      if (item === null || item === undefined) continue;
      const goPath = place.goPath === '' ? name : `${place.goPath}.${name}`;
      const found = this.#value(field.type, item, { path, goPath, struct });
      if (found !== undefined && !isLeftOut(field, found)) decoded[name] = found;
    }
    return decoded;
  }

  /** Undefined for a value that does not fit. */
  #value(type: TypeFact, value: unknown, place: Place): unknown {
    switch (type.kind) {
      case 'message':
        return this.#message(type.message, value, place);
      case 'list':
        return this.#list(type.item, value, place);
      case 'map':
        return this.#map(type.item, value, place);
      case 'scalar':
        return this.#scalar(type, value, place);
    }
  }

  #message(name: string, value: unknown, place: Place): unknown {
    const message = this.#facts.message(name);
    if (message.isList) {
      const items = message.fields.get('items');
      return items === undefined ? undefined : this.#value(items.type, value, place);
    }
    if (isJsonObject(value)) return this.struct(message, value, place);
    return this.#mistyped(value, goType(name), place);
  }

  #list(item: TypeFact, value: unknown, place: Place): unknown {
    if (!Array.isArray(value)) return this.#mistyped(value, `[]${goName(item)}`, place);
    return value.map((element: unknown, index) => {
      if (element === null || element === undefined) return this.#zero(item);
      return this.#value(item, element, { ...place, path: `${place.path}[${index}]` });
    });
  }

  #map(item: TypeFact, value: unknown, place: Place): unknown {
    if (!isJsonObject(value)) return this.#mistyped(value, `map[string]${goName(item)}`, place);
    const decoded: Record<string, unknown> = {};
    for (const [key, element] of Object.entries(value)) {
      const found =
        element === null || element === undefined
          ? this.#zero(item)
          : this.#value(item, element, { ...place, path: pathOf(place.path, key) });
      if (key !== '__proto__') decoded[key] = found;
      else Object.defineProperty(decoded, key, { value: found, enumerable: true });
    }
    return decoded;
  }

  #scalar(type: TypeFact & { kind: 'scalar' }, value: unknown, place: Place): unknown {
    const { scalar } = type;
    if (scalar.startsWith('JSONSchemaPropsOr')) return this.#schemaUnion(scalar, value, place);
    const decoded = decodeScalar(scalar, value);
    if (decoded.kind === 'value') return decoded.value;
    if (decoded.kind === 'mistyped') return this.#mistyped(value, goName(type), place);
    this.problem ??= decoded.text;
    return undefined;
  }

  /** What null in a list or map is to Go: the zero value. */
  #zero(type: TypeFact): unknown {
    if (type.kind === 'message') return this.#facts.message(type.message).isList ? [] : {};
    if (type.kind !== 'scalar') return type.kind === 'list' ? [] : {};
    if (type.scalar === 'bool') return false;
    if (type.scalar === 'Quantity') return '0';
    return /^(int|float)/.test(type.scalar) ? 0 : '';
  }

  // A schema, or the other thing that JSON Schema allows in this place.
  #schemaUnion(scalar: string, value: unknown, place: Place): unknown {
    const schema = 'apiextensions.v1.JSONSchemaProps';
    if (isJsonObject(value)) return this.struct(this.#facts.message(schema), value, place);
    if (scalar === 'JSONSchemaPropsOrBool' && typeof value === 'boolean') return value;
    if (scalar === 'JSONSchemaPropsOrArray' && Array.isArray(value)) {
      return this.#list({ kind: 'message', message: schema }, value, place);
    }
    if (scalar === 'JSONSchemaPropsOrStringArray' && Array.isArray(value)) {
      return this.#list({ kind: 'scalar', scalar: 'string' }, value, place);
    }
    return this.#mistyped(value, `v1.${scalar}`, place);
  }

  #mistyped(value: unknown, expected: string, { struct, goPath }: Place): undefined {
    const found = goValue(value);
    const into = struct === '' ? 'Go value' : `Go struct field ${struct}.${goPath}`;
    this.problem ??= `json: cannot unmarshal ${found} into ${into} of type ${expected}`;
    return undefined;
  }
}

/** What nests deep in long names is told of by its beginning. */
function pathOf(path: string, name: string): string {
  if (path.length > pathCharactersMax) return path;
  const shown = name.length > pathCharactersMax ? `${name.slice(0, pathCharactersMax)}...` : name;
  return path === '' ? shown : `${path}.${shown}`;
}

/** Whether Go's omitempty leaves this value out. */
function isLeftOut({ omitEmpty, pointer, type }: FieldFact, value: unknown): boolean {
  if (!omitEmpty || pointer) return false;
  if (type.kind === 'list' || Array.isArray(value))
    return Array.isArray(value) && value.length === 0;
  if (type.kind === 'map') return isJsonObject(value) && Object.keys(value).length === 0;
  if (type.kind === 'message') return false;
  const isPlain = /^(string|bool|int32|int64|float64|bytes)$/.test(type.scalar);
  return isPlain && (value === '' || value === 0 || value === false);
}

function goValue(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : `number ${value}`;
  return typeof value;
}

function typeOf(message: string): string {
  return message.slice(message.lastIndexOf('.') + 1);
}

// `core.v1.Container` is v1.Container to Go.
function goType(message: string): string {
  return message.slice(message.indexOf('.') + 1);
}

function goName(type: TypeFact): string {
  switch (type.kind) {
    case 'message':
      return goType(type.message);
    case 'list':
      return `[]${goName(type.item)}`;
    case 'map':
      return `map[string]${goName(type.item)}`;
    case 'scalar':
      return goScalars[type.scalar] ?? type.scalar;
  }
}

const goScalars: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  RawExtension: 'runtime.RawExtension',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Duration: 'v1.Duration',
};
