import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldType, JsonSchema } from '@fnlet/machinery';
import { type CompiledSchema, compileSchema } from '@fnlet/schema';
import type { StrategicType } from '../../patch/strategic-merge.ts';
import { type BuiltinFacts, builtinFacts } from './builtin-facts.ts';
import { completeGo } from './go-completion.ts';
import { decodeGo, type GoDecoded } from './go-decoder.ts';
import { MessageFieldTypes } from './message-field-type.ts';
import { MessageStrategicTypes } from './message-strategic-type.ts';
import { zeroStruct } from './zero-struct.ts';

/** What is derived from the facts, each type when it is first needed. */
export class BuiltinTypes {
  readonly facts: BuiltinFacts;
  readonly #fieldTypes: MessageFieldTypes;
  readonly #strategicTypes: MessageStrategicTypes;

  constructor(facts: BuiltinFacts) {
    this.facts = facts;
    this.#fieldTypes = new MessageFieldTypes(facts);
    this.#strategicTypes = new MessageStrategicTypes(facts);
  }

  /** How server-side apply merges this message, such as `core.v1.Pod`. */
  fieldType(message: string): FieldType {
    return this.#fieldTypes.find(message);
  }

  /** How strategic merge patches merge it. */
  strategicType(message: string): StrategicType {
    return this.#strategicTypes.find(message);
  }

  /** The message before anything is decoded into it. */
  zero(message: string): JsonObject {
    return zeroStruct(this.facts, message);
  }

  /** The value as Go decodes it into the message. */
  decode(message: string, value: JsonObject): GoDecoded {
    return decodeGo(this.facts, message, value);
  }
}

/** The types of the builtin kinds. */
export const builtinTypes: BuiltinTypes = new BuiltinTypes(builtinFacts);

/**
 * The schema of a builtin kind: its structure is that of the message, and `schema`, which may leave
 * out what it has nothing to say about, adds defaults and rules.
 */
export function compileBuiltinSchema(
  types: BuiltinTypes,
  message: string,
  schema: JsonSchema,
): CompiledSchema {
  const rules = compileSchema(schema, { root: 'resource', duplicates: 'allowed' });
  const complete = (value: unknown): unknown =>
    isJsonObject(value) ? completeGo(types.facts, message, value) : value;
  return {
    validate: rules.validate,
    applyDefaults: (value) => complete(rules.applyDefaults(value)),
    prune: (value) =>
      isJsonObject(value) ? types.decode(message, value) : { value, unknownFields: [] },
    get fieldType(): FieldType {
      return types.fieldType(message);
    },
  };
}
