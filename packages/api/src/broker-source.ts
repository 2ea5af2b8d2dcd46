import type { FieldSchema } from './field-schema.ts';
import { brokerNameCharactersMax } from './limits.ts';

/** Events of a Broker. */
export interface BrokerSource {
  /** In the namespace of the Trigger. */
  readonly name: string;
  /** `newest`, `oldest`, or a time (RFC 3339). */
  readonly from: string;
}

export const brokerSourceSchema: FieldSchema<BrokerSource> = {
  type: 'object',
  description: 'Events that come to a Broker, those that targets of its Triggers answer with, too.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of a Broker in the namespace of the Trigger.',
      minLength: 1,
      maxLength: brokerNameCharactersMax,
      required: true,
    },
    from: {
      type: 'string',
      description:
        'With which event it begins: newest for those that come from the second on in which the ' +
        'Trigger was created; oldest for all that the Broker keeps; or a time such as ' +
        '2026-01-31T09:00:00Z. Default is newest.',
      maxLength: 40,
      pattern:
        '^(newest|oldest|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2}))$',
      default: 'newest',
    },
  },
};
