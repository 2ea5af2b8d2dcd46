import type { JsonSchema } from '@fnlet/machinery';
import fc from 'fast-check';

/** The words that strings of a schema are made of. */
export interface Vocabulary {
  readonly texts: fc.Arbitrary<string>;
  /** For fields that take numbers and texts. */
  readonly quantities: fc.Arbitrary<string | number>;
}

/** Any value of a schema's shape; not all of them keep its rules. */
export function valuesOf(schema: JsonSchema, words: Vocabulary): fc.Arbitrary<unknown> {
  if (schema['x-kubernetes-int-or-string'] === true) return words.quantities;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return words.texts;
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -2, max: 3000 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, words), { maxLength: 3 });
    case 'object':
      return objectsOf(schema, words);
    default:
      return fc.oneof(words.texts, fc.jsonValue());
  }
}

/** Any object of a schema's shape. */
export function objectsOf(schema: JsonSchema, words: Vocabulary): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required = [] } = schema;
  const { texts } = words;
  if (typeof additionalProperties === 'object') {
    return fc.dictionary(texts, valuesOf(additionalProperties, words), { maxKeys: 3 });
  }
  if (properties === undefined) return fc.dictionary(texts, fc.jsonValue(), { maxKeys: 3 });
  const requiredKeys = required.filter((key) => Object.hasOwn(properties, key));
  const values = Object.entries(properties).map(
    ([key, value]) => [key, valuesOf(value, words)] as const,
  );
  return fc.record(Object.fromEntries(values), { requiredKeys });
}
