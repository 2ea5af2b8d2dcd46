import { parseDuration } from '@fnlet/base';
import type { FieldSchema } from './field-schema.ts';

/** How a new Revision takes over. */
export interface FunctionRollout {
  readonly deadline: string;
  readonly canary?: FunctionCanary;
}

/** How much of the calls a new Revision gets, step by step, and what it has to show for it. */
export interface FunctionCanary {
  readonly steps: readonly number[];
  readonly interval: string;
  readonly successRate: number;
  readonly latency?: CanaryLatency;
  readonly minimumCalls: number;
}

/** The longest that an answer may take to begin, for so many of a hundred calls. */
export interface CanaryLatency {
  readonly p50?: string;
  readonly p90?: string;
  readonly p95?: string;
  readonly p99?: string;
}

const durationPattern = '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$';

function latencySchema(percent: number): FieldSchema<string> {
  return {
    type: 'string',
    description: `The longest that ${percent} of 100 answers may take to begin, such as 500ms.`,
    maxLength: 32,
    pattern: durationPattern,
  };
}

const canarySchema: FieldSchema<FunctionCanary> = {
  type: 'object',
  description:
    'With this, a new Revision takes over in steps. After each it is judged by what became of ' +
    'its calls: it gets more of them, or none any more. A Revision that was rolled back is not ' +
    'tried again until the code or the rollout changes.',
  properties: {
    steps: {
      type: 'array',
      description:
        'Percentages of the calls that it gets one after the other; after the last it gets all.',
      minItems: 1,
      maxItems: 20,
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'integer',
        format: 'int32',
        description: 'Of the calls that go to the newest Revision.',
        minimum: 1,
        maximum: 99,
      },
      default: [10, 50],
      'x-kubernetes-validations': [
        { rule: 'self.isSorted()', message: 'the steps must rise: 10, 50' },
      ],
    },
    interval: {
      type: 'string',
      description: 'How long a step lasts at least, such as 1m; from 1s to 24h.',
      maxLength: 32,
      pattern: durationPattern,
      default: '1m',
      'x-kubernetes-validations': [
        {
          rule: "duration(self) >= duration('1s') && duration(self) <= duration('24h')",
          message: 'interval must be at least 1s and at most 24h',
        },
      ],
    },
    successRate: {
      type: 'number',
      description:
        'How many of 100 calls must be answered with a status below 500. It is rolled back with ' +
        'fewer, and before the end of a step once there is no doubt about it.',
      minimum: 0,
      maximum: 100,
      default: 99,
    },
    latency: {
      type: 'object',
      description: 'How long its answers may take to begin, cold starts included.',
      properties: {
        p50: latencySchema(50),
        p90: latencySchema(90),
        p95: latencySchema(95),
        p99: latencySchema(99),
      },
    },
    minimumCalls: {
      type: 'integer',
      format: 'int32',
      description: 'It is not judged by fewer calls than this: a step then lasts longer.',
      minimum: 0,
      maximum: 1_000_000,
      default: 50,
    },
  },
};

/** What is not said about how a Revision takes over. */
export const defaultRollout: FunctionRollout = { deadline: '2m' };

export const rolloutSchema: FieldSchema<FunctionRollout> = {
  type: 'object',
  description: 'How a new Revision takes over from the one that serves.',
  properties: {
    deadline: {
      type: 'string',
      description:
        'After so long without the Instances that its share needs, the status says that they ' +
        'are missing. The Revision that serves goes on.',
      maxLength: 32,
      pattern: durationPattern,
      default: defaultRollout.deadline,
    },
    canary: canarySchema,
  },
};

/** {@link FunctionCanary} in milliseconds and parts of one. */
export interface ResolvedCanary {
  /** Percentages, rising; at least one. */
  readonly steps: readonly number[];
  readonly intervalMs: number;
  /** From 0 to 1. */
  readonly successRate: number;
  readonly latencies: readonly LatencyBound[];
  readonly minimumCalls: number;
}

/** That this part of the answers, such as 0.99, begins within so long. */
export interface LatencyBound {
  readonly name: string;
  readonly part: number;
  readonly boundMs: number;
}

/**
 * Resolves a canary that has passed its schema.
 *
 * @throws FnletError `InvalidDuration`
 */
export function resolveCanary(canary: FunctionCanary): ResolvedCanary {
  const { steps, interval, successRate, latency = {}, minimumCalls } = canary;
  return {
    steps,
    intervalMs: parseDuration(interval),
    successRate: successRate / 100,
    latencies: Object.entries(latency).map(([name, bound]) => ({
      name,
      part: Number(name.slice(1)) / 100,
      boundMs: parseDuration(bound),
    })),
    minimumCalls,
  };
}
