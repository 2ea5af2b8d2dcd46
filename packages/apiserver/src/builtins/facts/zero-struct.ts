import type { JsonObject } from '@fnlet/base';
import type { BuiltinFacts } from './builtin-facts.ts';
import type { FieldFact, ScalarName } from './message-fact.ts';

/**
 * A struct that nothing was decoded into, as Go writes it: what is not left out is null, zero, or a
 * struct in turn. A Go server compares a new object with it to tell what its creator owns. Pure.
 */
export function zeroStruct(facts: BuiltinFacts, message: string): JsonObject {
  const written = [...facts.message(message).fields.values()].flatMap((field) => {
    const value = zeroValue(facts, field);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(written);
}

/** Undefined for what Go leaves out. */
function zeroValue(facts: BuiltinFacts, field: FieldFact): unknown {
  const { type, pointer, omitEmpty, omitZero } = field;
  if (omitZero) return undefined;
  // To omitempty a struct is never empty.
  if (!pointer && type.kind === 'message' && !facts.message(type.message).isList) {
    return zeroStruct(facts, type.message);
  }
  if (!pointer && type.kind === 'scalar') {
    const zero = zeroScalars[type.scalar];
    return omitEmpty && !structScalars.has(type.scalar) ? undefined : zero;
  }
  return omitEmpty ? undefined : null;
}

const structScalars: ReadonlySet<ScalarName> = new Set([
  'Time',
  'MicroTime',
  'Duration',
  'Quantity',
  'IntOrString',
  'RawExtension',
]);

const zeroScalars: Readonly<Record<ScalarName, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  bytes: null,
  Time: null,
  MicroTime: null,
  Duration: '0s',
  Quantity: '0',
  IntOrString: 0,
  RawExtension: null,
  FieldsV1: null,
  JSON: null,
  JSONSchemaPropsOrArray: null,
  JSONSchemaPropsOrBool: null,
  JSONSchemaPropsOrStringArray: null,
};
