import type { JsonSchema } from '@fnlet/machinery';

// Short forms in which the tables of the builtin kinds are written.

export function text(description: string, rest: JsonSchema = {}): JsonSchema {
  return { type: 'string', description, ...rest };
}

export function integer(description: string, rest: JsonSchema = {}): JsonSchema {
  return { type: 'integer', format: 'int32', description, ...rest };
}

export function long(description: string): JsonSchema {
  return { type: 'integer', format: 'int64', description };
}

export function flag(description: string, rest: JsonSchema = {}): JsonSchema {
  return { type: 'boolean', description, ...rest };
}

export function time(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description };
}

export function object(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  rest: JsonSchema = {},
): JsonSchema {
  return { type: 'object', description, properties, ...rest };
}

/** A value that is owned and replaced as a whole. */
export function atomic(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return object(description, properties, { 'x-kubernetes-map-type': 'atomic' });
}

/** A list that is owned and replaced as a whole. */
export function list(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', description, items, 'x-kubernetes-list-type': 'atomic' };
}

export function texts(description: string): JsonSchema {
  return list(description, { type: 'string' });
}

/** A map from text to text. */
export function textMap(description: string, rest: JsonSchema = {}): JsonSchema {
  return { type: 'object', description, additionalProperties: { type: 'string' }, ...rest };
}

/** A number or text, such as a port or `50%`. */
export function intOrString(description: string): JsonSchema {
  return { description, 'x-kubernetes-int-or-string': true };
}

/** A map from text to quantities. */
export function quantities(description: string): JsonSchema {
  const additionalProperties = { 'x-kubernetes-int-or-string': true };
  return { type: 'object', description, additionalProperties };
}

/** A value whose structure is not looked at. */
export function anything(description: string): JsonSchema {
  return { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
}

/** The reference to an object by name in the same namespace. */
export function localReference(description: string): JsonSchema {
  return atomic(description, { name: text('Name of the referent.') });
}

/** One condition of a status, as in meta/v1. */
export function condition(rest: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return {
    type: 'object',
    description: 'One aspect of the state of the object.',
    required: ['type', 'status'],
    properties: {
      type: text('Kind of condition.'),
      status: text('True, False or Unknown.'),
      observedGeneration: long('Generation of the object that this was said about.'),
      lastTransitionTime: time('When the status last changed.'),
      reason: text('One word for machines.'),
      message: text('What happened, for people.'),
      ...rest,
    },
  };
}
