import type { FieldSchema } from './field-schema.ts';
import { instancesMax, scaleNameCharactersMax, scheduledMinimumsMax } from './limits.ts';

/** Instances that are awake at certain times. */
export interface ScheduledScale {
  readonly start: string;
  readonly end: string;
  readonly timeZone?: string;
  readonly min: number;
}

/** Whether demand that comes back every day or week is met ahead. */
export interface ScalePrediction {
  readonly ahead: string;
}

const cronPattern = '^[-0-9a-zA-Z*/,?@ ]+$';

export const scheduleSchema: FieldSchema<readonly ScheduledScale[]> = {
  type: 'array',
  description: 'Instances that are awake at certain times; where several hold, the most count.',
  maxItems: scheduledMinimumsMax,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    description: 'A time in which so many Instances are awake.',
    properties: {
      start: {
        type: 'string',
        description: 'When it begins, as a CronJob says it: "0 8 * * mon-fri".',
        minLength: 1,
        maxLength: scaleNameCharactersMax,
        pattern: cronPattern,
        required: true,
      },
      end: {
        type: 'string',
        description: 'When it ends, said in the same way: "0 18 * * mon-fri".',
        minLength: 1,
        maxLength: scaleNameCharactersMax,
        pattern: cronPattern,
        required: true,
      },
      timeZone: {
        type: 'string',
        description: 'IANA name, such as Europe/Berlin; UTC without it.',
        maxLength: scaleNameCharactersMax,
      },
      min: {
        type: 'integer',
        format: 'int32',
        description: 'Instances that are awake meanwhile; never more than max.',
        minimum: 1,
        maximum: instancesMax,
        required: true,
      },
    },
  },
};

export const predictionSchema: FieldSchema<ScalePrediction> = {
  type: 'object',
  description:
    'Learns how many Instances each quarter of an hour of the week needs, over three weeks, and ' +
    'has them awake before it comes again; never more than max. Off unless it is there.',
  properties: {
    ahead: {
      type: 'string',
      description: 'How long before its quarter of an hour an Instance is awake; at most 15m.',
      maxLength: 32,
      pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$',
      default: '5m',
      'x-kubernetes-validations': [
        {
          rule: "duration(self) >= duration('0s') && duration(self) <= duration('15m')",
          message: 'ahead must be at most 15m',
        },
      ],
    },
  },
};
