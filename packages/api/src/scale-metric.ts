import type { ScaleMetric as ResolvedMetric } from '@fnlet/scaling';
import type { FieldSchema } from './field-schema.ts';
import { scaleMetricsMax, scaleNameCharactersMax, sourceUrlCharactersMax } from './limits.ts';

/** What one Instance should have. */
export interface MetricTarget {
  readonly target: number;
}

/** A query of Prometheus that gives one number. */
export interface PrometheusMetric extends MetricTarget {
  readonly name: string;
  readonly url: string;
  readonly query: string;
}

/** One thing that a Function scales by; exactly one of its fields is there. */
export interface ScaleMetric {
  readonly concurrency?: MetricTarget;
  readonly rps?: MetricTarget;
  readonly cpu?: MetricTarget;
  readonly memory?: MetricTarget;
  readonly lag?: MetricTarget;
  readonly prometheus?: PrometheusMetric;
}

/** The name under which what waits to be delivered is read and shown. */
export const lagMetricName = 'lag';

/** HorizontalPodAutoscaler, `--horizontal-pod-autoscaler-tolerance`. */
const toleranceOfUse = 0.1;

function targetSchema(description: string, target: string): FieldSchema<MetricTarget> {
  return {
    type: 'object',
    description,
    properties: {
      target: { type: 'integer', description: target, minimum: 1, maximum: 10_000, required: true },
    },
  };
}

const kinds = ['concurrency', 'rps', 'cpu', 'memory', 'lag', 'prometheus'];

export const scaleMetricsSchema: FieldSchema<readonly ScaleMetric[]> = {
  type: 'array',
  description:
    'What scaling goes by, in place of `metric` and `target`. Whichever asks for most Instances ' +
    'wins; one that is not known at present never lets the Function shrink.',
  minItems: 1,
  maxItems: scaleMetricsMax,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    description: 'One thing to scale by.',
    properties: {
      concurrency: targetSchema('Calls in flight.', 'Calls in flight per Instance.'),
      rps: targetSchema('Calls that arrive per second.', 'Calls per second and Instance.'),
      cpu: targetSchema(
        'CPU that Instances use on average.',
        'Percent of the CPU that an Instance requests; of its limit, or of one core, without.',
      ),
      memory: targetSchema(
        'Memory that Instances use on average.',
        'Percent of the memory that an Instance requests, or of its limit without.',
      ),
      lag: targetSchema(
        'What waits to be delivered: events of Triggers that lead to the Function, those at their ' +
          'sources included, and asynchronous calls.',
        'Waiting events and calls that one Instance takes care of.',
      ),
      prometheus: {
        type: 'object',
        description: 'A number that a Prometheus server knows. It wakes a sleeping Function, too.',
        properties: {
          name: {
            type: 'string',
            description: 'What the number is called in reasons, such as queue_length.',
            minLength: 1,
            maxLength: scaleNameCharactersMax,
            pattern: '^[a-zA-Z][-_:a-zA-Z0-9]*$',
            required: true,
          },
          url: {
            type: 'string',
            description: 'Where the server is, such as http://prometheus:9090.',
            maxLength: sourceUrlCharactersMax,
            pattern: '^https?://[^ ]+$',
            required: true,
          },
          query: {
            type: 'string',
            description: 'In PromQL; of several series, the values are added up.',
            minLength: 1,
            maxLength: 4_096,
            required: true,
          },
          target: {
            type: 'integer',
            description: 'How much of the number one Instance takes care of.',
            minimum: 1,
            required: true,
          },
        },
      },
    },
    'x-kubernetes-validations': [
      {
        rule: `[${kinds.map((kind) => `has(self.${kind})`).join(', ')}].filter(x, x).size() == 1`,
        message: `a metric must be exactly one of ${kinds.join(', ')}`,
      },
    ],
  },
};

/** A metric in the words of the scaling room. */
export function resolveMetric(metric: ScaleMetric, tolerance: number | undefined): ResolvedMetric {
  const { concurrency, rps, cpu, memory, lag, prometheus } = metric;
  const exact = tolerance ?? 0;
  const rough = tolerance ?? toleranceOfUse;
  if (rps !== undefined) return { kind: 'rps', target: rps.target, tolerance: exact };
  if (cpu !== undefined) return { kind: 'cpu', target: cpu.target, tolerance: rough };
  if (memory !== undefined) return { kind: 'memory', target: memory.target, tolerance: rough };
  const external = lag === undefined ? prometheus : { name: lagMetricName, target: lag.target };
  if (external !== undefined) {
    const { name, target } = external;
    return { kind: 'external', name, target, tolerance: exact };
  }
  return { kind: 'concurrency', target: concurrency?.target ?? 1, tolerance: exact };
}
