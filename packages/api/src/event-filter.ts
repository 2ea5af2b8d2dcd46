import type { FieldSchema } from './field-schema.ts';
import {
  eventFilterAttributesMax,
  eventFilterCharactersMax,
  eventFiltersMax,
  eventFilterValueCharactersMax,
} from './limits.ts';

/** What attributes of an event have to be, by their names; one of the members is there. */
export interface AttributeFilter {
  readonly exact?: Readonly<Record<string, string>>;
  readonly prefix?: Readonly<Record<string, string>>;
  readonly suffix?: Readonly<Record<string, string>>;
  /** An expression of the CloudEvents Expression Language that is true. */
  readonly cesql?: string;
}

/** Filters within a filter. */
export interface FilterGroup<Inner> {
  readonly all?: readonly Inner[];
  readonly any?: readonly Inner[];
  readonly not?: Inner;
}

/** The second of three levels. */
export interface InnerEventFilter extends AttributeFilter, FilterGroup<AttributeFilter> {}

/**
 * Which events pass, as the Subscriptions API of CloudEvents has it; exactly one member is there.
 * A schema of Kubernetes cannot contain itself, so it is three levels deep.
 */
export interface EventFilter extends AttributeFilter, FilterGroup<InnerEventFilter> {}

const attributeMembers = ['exact', 'prefix', 'suffix', 'cesql'];
const allMembers = [...attributeMembers, 'all', 'any', 'not'];

function oneOf(members: readonly string[]): {
  readonly rule: string;
  readonly message: string;
} {
  return {
    rule: `[${members.map((name) => `has(self.${name})`).join(', ')}].filter(given, given).size() == 1`,
    message: `give exactly one of ${members.join(', ')} for each filter`,
  };
}

function attributesSchema(description: string): FieldSchema<Readonly<Record<string, string>>> {
  return {
    type: 'object',
    description,
    minProperties: 1,
    maxProperties: eventFilterAttributesMax,
    additionalProperties: {
      type: 'string',
      description: 'What it is compared with.',
      minLength: 1,
      maxLength: eventFilterValueCharactersMax,
    },
  };
}

const properties: {
  readonly [K in keyof AttributeFilter]-?: FieldSchema<Exclude<AttributeFilter[K], undefined>>;
} = {
  exact: attributesSchema('Attributes that are these texts.'),
  prefix: attributesSchema('Attributes that start with these texts.'),
  suffix: attributesSchema('Attributes that end with these texts.'),
  cesql: {
    type: 'string',
    description: 'An expression (CESQL 1.0) that is true.',
    minLength: 1,
    maxLength: eventFilterCharactersMax,
  },
};

const attributeFilterSchema: FieldSchema<AttributeFilter> = {
  type: 'object',
  description: 'A filter of attributes.',
  properties,
  'x-kubernetes-validations': [oneOf(attributeMembers)],
};

const listBounds = {
  type: 'array',
  minItems: 1,
  maxItems: eventFiltersMax,
  'x-kubernetes-list-type': 'atomic',
} as const;

const innerFilterSchema: FieldSchema<InnerEventFilter> = {
  type: 'object',
  description: 'A filter within a filter.',
  properties: {
    ...properties,
    all: { ...listBounds, description: 'All of these pass.', items: attributeFilterSchema },
    any: { ...listBounds, description: 'One of these passes.', items: attributeFilterSchema },
    not: { ...attributeFilterSchema, description: 'This one does not pass.' },
  },
  'x-kubernetes-validations': [oneOf(allMembers)],
};

const eventFilterSchema: FieldSchema<EventFilter> = {
  type: 'object',
  description: 'Which events pass: one of exact, prefix, suffix, cesql, all, any and not.',
  properties: {
    exact: attributesSchema(
      'Attributes and extensions of the event that are these texts, by their names. Capitals ' +
        'count; numbers and booleans are compared as they are written; an attribute that is ' +
        'missing is none of them.',
    ),
    prefix: attributesSchema('Attributes that start with these texts, as in exact.'),
    suffix: attributesSchema('Attributes that end with these texts, as in exact.'),
    cesql: {
      type: 'string',
      description:
        'An expression of the CloudEvents Expression Language (CESQL 1.0) that is true, such as ' +
        "type LIKE 'com.example.%' AND int(priority) > 3. Events for which it fails do not pass, " +
        'also within not.',
      minLength: 1,
      maxLength: eventFilterCharactersMax,
    },
    all: { ...listBounds, description: 'All of these pass.', items: innerFilterSchema },
    any: { ...listBounds, description: 'One of these passes.', items: innerFilterSchema },
    not: { ...innerFilterSchema, description: 'This one does not pass.' },
  },
  'x-kubernetes-validations': [oneOf(allMembers)],
};

export const eventFiltersSchema: FieldSchema<readonly EventFilter[]> = {
  ...listBounds,
  description:
    'Which events are taken: those that pass all of these filters; others are forgotten. Default ' +
    'is all events.',
  items: eventFilterSchema,
};
