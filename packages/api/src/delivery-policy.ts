import { tryParseDuration, tryParseIsoDuration } from '@fnlet/base';
import type { FieldSchema } from './field-schema.ts';
import {
  deliveriesAtOnceMax,
  deliveriesPerSecondMax,
  eventBatchMax,
  eventFilterCharactersMax,
  eventRetriesMax,
} from './limits.ts';
import { type TriggerTarget, triggerTargetSchema } from './trigger-target.ts';

/** How events reach their target. Times are durations of ISO 8601 or of Kubernetes. */
export interface DeliveryPolicy {
  /** Tries after the first. */
  readonly retry?: number;
  readonly backoffPolicy?: BackoffPolicy;
  readonly backoffDelay?: string;
  readonly backoffMax?: string;
  readonly jitter?: boolean;
  readonly retryAfterMax?: string;
  /** Of one try. */
  readonly timeout?: string;
  readonly format?: EventFormat;
  /** An attribute, or an expression of CESQL. */
  readonly orderingKey?: string;
  readonly coalesce?: boolean;
  readonly batch?: EventBatch;
  readonly concurrency?: number;
  readonly rate?: DeliveryRate;
  /** Who gets events that were given up. Default: they are only kept. */
  readonly deadLetter?: TriggerTarget;
}

export type BackoffPolicy = 'exponential' | 'linear';
export type EventFormat = 'binary' | 'structured' | 'kubeless';

/** Several events in one request. */
export interface EventBatch {
  readonly size: number;
  readonly wait?: string;
}

/** How many requests in which time. */
export interface DeliveryRate {
  readonly perSecond: number;
  readonly burst?: number;
}

/** The policy with its defaults, and times in milliseconds. */
export interface ResolvedDelivery {
  readonly retry: number;
  readonly backoffPolicy: BackoffPolicy;
  readonly backoffDelayMs: number;
  readonly backoffMaxMs: number;
  readonly jitter: boolean;
  readonly retryAfterMaxMs: number;
  /** `undefined`: as the target has it. */
  readonly timeoutMs: number | undefined;
  readonly format: EventFormat;
  readonly orderingKey: string | undefined;
  readonly coalesce: boolean;
  readonly batch: { readonly size: number; readonly waitMs: number };
  readonly concurrency: number;
  readonly rate: { readonly perSecond: number; readonly burst: number } | undefined;
  readonly deadLetter: TriggerTarget | undefined;
}

/** The first three as Knative has them for its broker. */
const defaults = {
  retry: 10,
  backoffPolicy: 'exponential',
  backoffDelayMs: 200,
  backoffMaxMs: 3_600_000,
  retryAfterMaxMs: 3_600_000,
  format: 'binary',
  concurrency: 32,
} as const;

/** The policy as it is meant; a duration that cannot be read is as one that is not given. */
export function resolveDelivery(policy: DeliveryPolicy = {}): ResolvedDelivery {
  const { rate } = policy;
  return {
    retry: policy.retry ?? defaults.retry,
    backoffPolicy: policy.backoffPolicy ?? defaults.backoffPolicy,
    backoffDelayMs: durationMs(policy.backoffDelay) ?? defaults.backoffDelayMs,
    backoffMaxMs: durationMs(policy.backoffMax) ?? defaults.backoffMaxMs,
    jitter: policy.jitter ?? false,
    retryAfterMaxMs: durationMs(policy.retryAfterMax) ?? defaults.retryAfterMaxMs,
    timeoutMs: durationMs(policy.timeout),
    format: policy.format ?? defaults.format,
    orderingKey: policy.orderingKey,
    coalesce: policy.coalesce ?? false,
    batch: { size: policy.batch?.size ?? 1, waitMs: durationMs(policy.batch?.wait) ?? 0 },
    concurrency: policy.concurrency ?? defaults.concurrency,
    rate: rate && { perSecond: rate.perSecond, burst: rate.burst ?? Math.ceil(rate.perSecond) },
    deadLetter: policy.deadLetter,
  };
}

function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return tryParseDuration(text) ?? tryParseIsoDuration(text);
}

const number = '[0-9]+([.][0-9]+)?';
const kubernetesForm = `0|(${number}(ms|s|m|h))+`;
const isoForm = `P(${number}W)?(${number}D)?(T(${number}H)?(${number}M)?(${number}S)?)?`;

function duration(description: string): FieldSchema<string> {
  return {
    type: 'string',
    description: `${description} As 500ms, 30s and 1m30s, or as PT0.5S and PT1M30S.`,
    maxLength: 32,
    pattern: `^(${kubernetesForm}|${isoForm})$`,
    'x-kubernetes-validations': [
      {
        rule: "self != 'P' && !self.endsWith('T')",
        message: 'must be a duration such as 500ms, 30s, PT0.5S or P1D',
      },
    ],
  };
}

const batchSchema: FieldSchema<EventBatch> = {
  type: 'object',
  description:
    'Several events in one request, as a JSON array of them. When it fails, each is tried alone.',
  properties: {
    size: {
      type: 'integer',
      format: 'int32',
      description: 'How many at most.',
      minimum: 1,
      maximum: eventBatchMax,
      required: true,
    },
    wait: duration('How long the first one waits for others. Default is not at all.'),
  },
};

const rateSchema: FieldSchema<DeliveryRate> = {
  type: 'object',
  description: 'How many requests in which time; events wait for their turn.',
  properties: {
    perSecond: {
      type: 'number',
      description: 'Requests a second, over time; 0.1 is one every ten seconds.',
      minimum: 0.001,
      maximum: deliveriesPerSecondMax,
      required: true,
    },
    burst: {
      type: 'integer',
      format: 'int32',
      description: 'How many may go at once after a pause. Default is as many as in one second.',
      minimum: 1,
      maximum: deliveriesPerSecondMax,
    },
  },
};

export const deliveryPolicySchema: FieldSchema<DeliveryPolicy> = {
  type: 'object',
  description: 'How events reach their target, and what happens when they do not.',
  properties: {
    retry: {
      type: 'integer',
      format: 'int32',
      description: 'How often an event is tried again, after the first time. Default is 10.',
      minimum: 0,
      maximum: eventRetriesMax,
    },
    backoffPolicy: {
      type: 'string',
      description:
        'How waits between tries grow: exponential, doubling from backoffDelay on; linear, by ' +
        'backoffDelay each time, from nothing on. Default is exponential.',
      enum: ['exponential', 'linear'],
    },
    backoffDelay: duration('The unit of these waits. Default is 200ms.'),
    backoffMax: duration('No wait is longer. Default is 1h.'),
    jitter: {
      type: 'boolean',
      description: 'Whether chance takes up to half of each wait away. Default is false.',
    },
    retryAfterMax: duration(
      'How long the target can ask for with Retry-After (429, 503); 0 for not at all. Default is 1h.',
    ),
    timeout: duration(
      'How long one try may take. Default is what the Function allows, 30s for others.',
    ),
    format: {
      type: 'string',
      description:
        'How CloudEvents are written: binary, with attributes in headers; structured, as JSON; ' +
        'kubeless, binary with the headers that Kubeless gives its functions (others than ' +
        'Functions get them as binary). Default is binary.',
      enum: ['binary', 'structured', 'kubeless'],
    },
    orderingKey: {
      type: 'string',
      description:
        'Events with the same value of it are delivered one after the other in their order; one ' +
        'that fails keeps back those of its own value only. An attribute, or an expression of ' +
        'CESQL. Default is no order.',
      minLength: 1,
      maxLength: eventFilterCharactersMax,
    },
    coalesce: {
      type: 'boolean',
      description:
        'Whether only the newest event of each orderingKey is delivered, where several wait. ' +
        'Default is false.',
    },
    batch: batchSchema,
    concurrency: {
      type: 'integer',
      format: 'int32',
      description: 'Requests that are under way at once. Default is 32.',
      minimum: 1,
      maximum: deliveriesAtOnceMax,
    },
    rate: rateSchema,
    deadLetter: {
      ...triggerTargetSchema,
      description:
        'Who gets events that were given up, by the same policy. Without it, and where it fails ' +
        'too, they are kept, to be looked at and replayed.',
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.coalesce) || !self.coalesce || has(self.orderingKey)',
      message: 'coalesce needs orderingKey: say which events are about the same',
    },
    {
      rule: '!has(self.coalesce) || !self.coalesce || !has(self.batch)',
      message: 'coalesce and batch exclude each other',
    },
    {
      rule: "!has(self.batch) || !has(self.format) || self.format != 'kubeless'",
      message: 'batch and the format kubeless exclude each other',
    },
  ],
};
