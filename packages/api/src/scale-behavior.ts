import type { ScalingRules } from '@fnlet/scaling';
import type { FieldSchema } from './field-schema.ts';

/** How fast a number may change: by so much within a period. */
export interface ScalePolicy {
  readonly type: 'Pods' | 'Percent';
  readonly value: number;
  readonly periodSeconds: number;
}

/** What holds for growing, or for shrinking. */
export interface ScaleDirection {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled';
  readonly policies?: readonly ScalePolicy[];
}

/** As in a HorizontalPodAutoscaler (autoscaling/v2); without it, Fnlet grows and shrinks at once. */
export interface ScaleBehavior {
  readonly scaleUp?: ScaleDirection;
  readonly scaleDown?: ScaleDirection;
}

function directionSchema(description: string): FieldSchema<ScaleDirection> {
  return {
    type: 'object',
    description,
    properties: {
      stabilizationWindowSeconds: {
        type: 'integer',
        format: 'int32',
        description: 'The change is made only when nothing else was asked for during this time.',
        minimum: 0,
        maximum: 3600,
      },
      selectPolicy: {
        type: 'string',
        description: 'Which policy counts: the one that allows most (Max), least (Min), or none.',
        enum: ['Max', 'Min', 'Disabled'],
      },
      policies: {
        type: 'array',
        description: 'How fast the number of Instances may change; without any, at once.',
        maxItems: 8,
        'x-kubernetes-list-type': 'atomic',
        items: {
          type: 'object',
          description: 'A change that is allowed within a period.',
          properties: {
            type: {
              type: 'string',
              description: 'Whether the value is a number of Instances (Pods) or a percentage.',
              enum: ['Pods', 'Percent'],
              required: true,
            },
            value: {
              type: 'integer',
              format: 'int32',
              description: 'By how much.',
              minimum: 1,
              required: true,
            },
            periodSeconds: {
              type: 'integer',
              format: 'int32',
              description: 'Within which time.',
              minimum: 1,
              maximum: 1800,
              required: true,
            },
          },
        },
      },
    },
  };
}

export const scaleBehaviorSchema: FieldSchema<ScaleBehavior> = {
  type: 'object',
  description: 'How fast the number of Instances follows, as in a HorizontalPodAutoscaler.',
  properties: {
    scaleUp: directionSchema('How it grows. The first Instance always comes at once.'),
    scaleDown: directionSchema('How it shrinks. After idleAfter all Instances go at once.'),
  },
};

/** The rules of one direction in the words of the scaling room. */
export function resolveDirection(direction: ScaleDirection = {}): ScalingRules {
  const { stabilizationWindowSeconds = 0, selectPolicy = 'Max', policies = [] } = direction;
  return {
    select: selectPolicy,
    stabilizationMs: stabilizationWindowSeconds * 1000,
    policies: policies.map(({ type, value, periodSeconds }) => ({
      type: type === 'Pods' ? 'Instances' : type,
      value,
      periodMs: periodSeconds * 1000,
    })),
  };
}
