import { parseDuration } from '@fnlet/base';
import type { ScaleSpec } from '@fnlet/scaling';
import type { FieldSchema } from './field-schema.ts';
import { instancesMax } from './limits.ts';
import { resolveDirection, type ScaleBehavior, scaleBehaviorSchema } from './scale-behavior.ts';
import {
  predictionSchema,
  type ScalePrediction,
  type ScheduledScale,
  scheduleSchema,
} from './scale-floor.ts';
import { resolveMetric, type ScaleMetric, scaleMetricsSchema } from './scale-metric.ts';

/** How many Instances a Function has. */
export interface FunctionScale {
  readonly min: number;
  readonly max: number;
  /** Default: concurrency. */
  readonly metric?: 'concurrency' | 'rps' | 'cpu' | 'memory';
  readonly target: number;
  readonly metrics?: readonly ScaleMetric[];
  readonly limit: number;
  /** A duration, or 0 for never. */
  readonly idleAfter: string | number;
  readonly burst?: number;
  readonly activation?: number;
  /** Percent. */
  readonly tolerance?: number;
  readonly window?: string;
  readonly panicWindow?: string;
  readonly behavior?: ScaleBehavior;
  readonly schedule?: readonly ScheduledScale[];
  readonly prediction?: ScalePrediction;
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
    metric: {
      type: 'string',
      description:
        'What scaling goes by: calls in flight (concurrency, the default), calls per second ' +
        '(rps), or use of CPU or memory in percent of what an Instance requests.',
      enum: ['concurrency', 'rps', 'cpu', 'memory'],
    },
    target: {
      type: 'integer',
      format: 'int32',
      description:
        'How much of the metric an Instance should have: calls in flight, unless `metric` says ' +
        'otherwise. Where `limit` is smaller than that, it is used instead.',
      minimum: 1,
      maximum: 10_000,
      default: defaultScale.target,
    },
    metrics: scaleMetricsSchema,
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
    burst: {
      type: 'integer',
      format: 'int32',
      description: 'Calls that may come at once, beyond the load, and find room while it is awake.',
      minimum: 0,
      maximum: 10_000,
    },
    activation: {
      type: 'integer',
      format: 'int32',
      description: 'Instances that it wakes with, and has as long as there is any demand.',
      minimum: 1,
      maximum: instancesMax,
    },
    tolerance: {
      type: 'integer',
      format: 'int32',
      description:
        'Percent by which a metric may miss its target before anything changes. Default: 10 for ' +
        'cpu and memory, 0 for all others.',
      minimum: 0,
      maximum: 100,
    },
    window: spanSchema({
      description: 'The stable window: nothing shrinks on less evidence. Default: 60s.',
      least: '6s',
    }),
    panicWindow: spanSchema({
      description:
        'The panic window: how long it takes a steady load to be seen in full. Default: a tenth ' +
        'of the stable window.',
      least: '1s',
    }),
    behavior: scaleBehaviorSchema,
    schedule: scheduleSchema,
    prediction: predictionSchema,
  },
  'x-kubernetes-validations': [
    {
      rule: 'self.min <= self.max',
      message: 'min must not be greater than max: lower min or raise max',
    },
    {
      rule: '!has(self.metric) || !has(self.metrics)',
      message: 'metric and metrics exclude each other: say everything in metrics',
    },
  ],
};

function spanSchema({
  description,
  least,
}: {
  readonly description: string;
  readonly least: string;
}): FieldSchema<string> {
  return {
    type: 'string',
    description,
    maxLength: 32,
    pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$',
    'x-kubernetes-validations': [
      {
        rule: `duration(self) >= duration('${least}') && duration(self) <= duration('1h')`,
        message: `must be between ${least} and 1h`,
      },
    ],
  };
}

/** {@link FunctionScale} in the units of the scaling room, and what feeds it from elsewhere. */
export interface ResolvedScale extends ScaleSpec {
  /** Calls in flight that one Instance should have; 0 where it does not scale by them. */
  readonly concurrencyTarget: number;
  /** What is said about metrics; those from elsewhere have to be asked for. */
  readonly sources: readonly ScaleMetric[];
  readonly schedule: readonly ScheduledScale[];
  /** How long before its time a need is met that is predicted; `undefined`: nothing is. */
  readonly predictedAheadMs: number | undefined;
}

/**
 * Resolves a scale that has passed its schema.
 *
 * @throws FnletError `InvalidDuration`
 */
export function resolveScale(scale: FunctionScale): ResolvedScale {
  const { min, max, limit, target, metric = 'concurrency', behavior = {} } = scale;
  const { burst = 0, activation = 1, schedule = [], prediction } = scale;
  const sources: readonly ScaleMetric[] = scale.metrics ?? [{ [metric]: { target } }];
  const tolerance = scale.tolerance === undefined ? undefined : scale.tolerance / 100;
  const stableSeconds = Math.round(parseDuration(scale.window ?? '60s') / 1000);
  const panicMs = scale.panicWindow === undefined ? undefined : parseDuration(scale.panicWindow);
  const panicSeconds = Math.round(panicMs === undefined ? stableSeconds / 10 : panicMs / 1000);
  const asked = sources.map((source) => resolveMetric(source, tolerance));
  const metrics = withLimit(asked, limit);
  return {
    ...{ min, max, limit, burst, activation, sources, schedule, metrics },
    concurrencyTarget: metrics.find(({ kind }) => kind === 'concurrency')?.target ?? 0,
    idleAfterMs: parseDuration(String(scale.idleAfter)),
    spans: { stableSeconds, panicSeconds: Math.min(Math.max(1, panicSeconds), stableSeconds) },
    growth: resolveDirection(behavior.scaleUp),
    shrinking: resolveDirection(behavior.scaleDown),
    predictedAheadMs: prediction === undefined ? undefined : parseDuration(prediction.ahead),
  };
}

/**
 * No Instance is meant to have more calls than it may. Calls that a limit makes wait are a reason
 * to grow, whatever else scaling goes by.
 */
function withLimit(metrics: ScaleSpec['metrics'], limit: number): ScaleSpec['metrics'] {
  if (limit === 0) return metrics;
  const isCounted = metrics.some(({ kind }) => kind === 'concurrency');
  if (!isCounted) return [...metrics, { kind: 'concurrency', target: limit, tolerance: 0 }];
  return metrics.map((metric) =>
    metric.kind === 'concurrency' ? { ...metric, target: Math.min(metric.target, limit) } : metric,
  );
}
