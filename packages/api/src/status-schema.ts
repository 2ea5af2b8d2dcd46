import type { Condition } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';

/** `status.conditions` of every kind (KEP-1623). */
export const conditionsSchema: FieldSchema<readonly Condition[]> = {
  type: 'array',
  description: 'The state in single statements, each True, False or Unknown, with the reason.',
  items: {
    type: 'object',
    description: 'One statement about the object.',
    properties: {
      type: {
        type: 'string',
        description: 'What the statement is about.',
        maxLength: 316,
        required: true,
      },
      status: {
        type: 'string',
        description: 'Whether it holds.',
        enum: ['True', 'False', 'Unknown'],
        required: true,
      },
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        description: 'The metadata.generation that this was said about.',
        minimum: 0,
      },
      lastTransitionTime: {
        type: 'string',
        format: 'date-time',
        description: 'When the status last changed.',
      },
      reason: {
        type: 'string',
        description: 'Why, in one word for programs.',
        maxLength: 1024,
      },
      message: {
        type: 'string',
        description: 'Why, in a sentence for people.',
        maxLength: 32_768,
      },
    },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};

export const observedGenerationSchema: FieldSchema<number> = {
  type: 'integer',
  format: 'int64',
  description: 'The metadata.generation that this status is about.',
  minimum: 0,
};
