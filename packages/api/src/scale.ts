import { parseDuration } from '@fnlet/base';
import type { FieldSchema } from './field-schema.ts';
import { instancesMax } from './limits.ts';

/** How many Instances a Function has. */
export interface FunctionScale {
  readonly min: number;
  readonly max: number;
  readonly target: number;
  readonly limit: number;
  /** A duration, or 0 for never. */
  readonly idleAfter: string | number;
}

/** What is not said about scaling. */
export const defaultScale: FunctionScale = {
  min: 0,
  max: 100,
  target: 50,
  limit: 0,
  idleAfter: '60s',
};

export const scaleSchema: FieldSchema<FunctionScale> = {
  type: 'object',
  description: 'How many Instances the Function has. Changes take effect without a new Revision.',
  properties: {
    min: {
      type: 'integer',
      format: 'int32',
      description:
        'Instances that are always awake. With 0 the Function sleeps when unused. This is what ' +
        'kubectl scale --replicas sets.',
      minimum: 0,
      maximum: instancesMax,
      default: defaultScale.min,
    },
    max: {
      type: 'integer',
      format: 'int32',
      description: 'Never more Instances than this.',
      minimum: 1,
      maximum: instancesMax,
      default: defaultScale.max,
    },
    target: {
      type: 'integer',
      format: 'int32',
      description:
        'Calls in flight per Instance that scaling aims at. Where `limit` is smaller, it is ' +
        'used instead.',
      minimum: 1,
      maximum: 10_000,
      default: defaultScale.target,
    },
    limit: {
      type: 'integer',
      format: 'int32',
      description:
        'Most calls in flight that one Instance is given; further calls wait. 0 means no limit, ' +
        '1 means one call at a time.',
      minimum: 0,
      maximum: 10_000,
      default: defaultScale.limit,
    },
    idleAfter: {
      'x-kubernetes-int-or-string': true,
      description:
        'How long no call may have been in flight before the last Instance is stopped, such as ' +
        '60s or 5m. 0 means never: once awake, the Function stays awake.',
      maxLength: 32,
      pattern: '^(0|([0-9]+([.][0-9]+)?(ms|s|m|h))+)$',
      // A number has no unit, so that only 0 means something.
      minimum: 0,
      maximum: 0,
      default: defaultScale.idleAfter,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'self.min <= self.max',
      message: 'min must not be greater than max: lower min or raise max',
    },
  ],
};

/** {@link FunctionScale} in the units of the scaling room, with `target` bounded by `limit`. */
export interface ResolvedScale {
  readonly min: number;
  readonly max: number;
  readonly target: number;
  readonly limit: number;
  /** 0 for never. */
  readonly idleAfterMs: number;
}

/**
 * Resolves a scale that has passed its schema.
 *
 * @throws FnletError `InvalidDuration`
 */
export function resolveScale(scale: FunctionScale): ResolvedScale {
  const { min, max, limit } = scale;
  const target = limit > 0 ? Math.min(scale.target, limit) : scale.target;
  return { min, max, target, limit, idleAfterMs: parseDuration(String(scale.idleAfter)) };
}
