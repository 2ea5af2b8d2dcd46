/** What KafkaTriggers and NATSTriggers have in common: a topic, and functions by their labels. */
import type { Condition, LabelSelectorSpec } from '@fnlet/machinery';
import type { FieldSchema } from '../field-schema.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { conditionsSchema, observedGenerationSchema } from '../status-schema.ts';
import { kubelessKind, readyColumn, textSchema } from './kubeless-kind.ts';

/** Whose messages reach which functions. */
export interface TopicTriggerSpec {
  readonly topic: string;
  /** Default, and where it is empty: all functions of the namespace. */
  readonly functionSelector?: LabelSelectorSpec;
}

/** What became of it; Kubeless itself wrote none. */
export interface TopicTriggerStatus {
  readonly observedGeneration?: number;
  /** Functions that get its messages. */
  readonly functions?: number;
  readonly lastEventTime?: string;
  /** Messages that wait, those of all its functions together. */
  readonly lag?: number;
  readonly deadLetters?: number;
  readonly conditions?: readonly Condition[];
}

type SelectorRequirement = NonNullable<LabelSelectorSpec['matchExpressions']>[number];

const requirementSchema: FieldSchema<SelectorRequirement> = {
  type: 'object',
  description: 'What has to hold for a label.',
  properties: {
    key: { ...textSchema('Name of the label.'), required: true },
    operator: { ...textSchema('In, NotIn, Exists or DoesNotExist.'), required: true },
    values: {
      type: 'array',
      description: 'What In and NotIn compare it with.',
      items: textSchema('A value of the label.'),
    },
  },
};

const specSchema: FieldSchema<TopicTriggerSpec> = {
  type: 'object',
  description: 'Whose messages reach which functions.',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    topic: {
      type: 'string',
      description: 'The topic, or the subject, whose messages they are.',
      minLength: 1,
      required: true,
    },
    functionSelector: {
      type: 'object',
      description:
        'The labels of the functions of Kubeless that get each of its messages. Without it, and ' +
        'where it is empty: all functions of the namespace.',
      properties: {
        matchLabels: {
          type: 'object',
          description: 'Labels and their values.',
          additionalProperties: textSchema('The value of the label.'),
        },
        matchExpressions: {
          type: 'array',
          description: 'What else has to hold for labels.',
          items: requirementSchema,
        },
      },
    },
  },
};

const statusSchema: FieldSchema<TopicTriggerStatus> = {
  type: 'object',
  description: 'What became of it. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    functions: {
      type: 'integer',
      format: 'int32',
      description: 'How many functions get its messages.',
      minimum: 0,
    },
    lastEventTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the newest message came.',
    },
    lag: {
      type: 'integer',
      format: 'int64',
      description: 'Messages that wait, those of all its functions together.',
      minimum: 0,
    },
    deadLetters: {
      type: 'integer',
      format: 'int64',
      description: 'Messages that were given up and are kept.',
      minimum: 0,
    },
    conditions: conditionsSchema,
  },
};

/** What is the same in the definitions of both kinds. */
export const topicTrigger: Omit<
  KindDefinition<TopicTriggerSpec, TopicTriggerStatus>,
  'kind' | 'plural' | 'description'
> = {
  ...kubelessKind,
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Topic', type: 'string', jsonPath: '.spec.topic' },
    { name: 'Functions', type: 'integer', jsonPath: '.status.functions' },
    readyColumn,
    { name: 'Lag', type: 'integer', jsonPath: '.status.lag', priority: 1 },
  ],
};
