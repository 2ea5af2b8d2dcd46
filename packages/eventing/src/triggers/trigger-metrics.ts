import { Histogram, type MetricFamily, type MetricSample } from '@fnlet/base';
import type { TriggerRun, TriggerState } from './trigger-run.ts';

/** What there is to tell of a Trigger that runs here. */
export interface MeasuredTrigger {
  readonly namespace: string;
  readonly name: string;
  readonly counts: TriggerRun['counts'];
  /** As it was looked at last. */
  readonly state: TriggerState | undefined;
}

const incoming = ['accepted', 'filtered', 'duplicate', 'refused'] as const;
const outgoing = ['delivered', 'dead', 'superseded', 'lost'] as const;

/** Name, meaning, and what of the state it is; `undefined`: it is not told. */
type Gauge = readonly [string, string, (state: TriggerState) => number | undefined];

const gauges: readonly Gauge[] = [
  [
    'failures',
    'Attempts that failed since an event was delivered.',
    ({ delivery }) => delivery.failures,
  ],
  ['dead_letters', 'Events that were given up and are kept.', ({ deadLetters }) => deadLetters],
  [
    'source_lag_events',
    'Events that wait where they come from, where that is known.',
    ({ source }) => source.lag,
  ],
  [
    'last_event_timestamp_seconds',
    'When the newest event came.',
    ({ lastEventMs }) => toSeconds(lastEventMs),
  ],
  [
    'last_delivery_timestamp_seconds',
    'When an event was last delivered.',
    ({ lastDeliveryMs }) => toSeconds(lastDeliveryMs),
  ],
  [
    'next_fire_timestamp_seconds',
    'When a schedule brings the next event.',
    ({ source }) => toSeconds(source.nextMs),
  ],
];

/** From functions that answer at once to the longest timeout that is usual. */
const durationEdges: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** How long requests to targets take, in seconds, by `namespace` and `trigger`. */
export function deliveryDurations(): Histogram {
  return new Histogram(
    'fnlet_trigger_delivery_duration_seconds',
    'From the beginning of a request to the target to its answer, or to what it came to instead.',
    durationEdges,
  );
}

/** Triggers for `/metrics`: what came, what became of it, and what waits. */
export function triggerFamilies(triggers: readonly MeasuredTrigger[]): readonly MetricFamily[] {
  const perTrigger = (
    samples: (trigger: MeasuredTrigger) => readonly Omit<MetricSample, 'suffix'>[],
  ): readonly MetricSample[] =>
    triggers.flatMap((trigger) => {
      const { namespace, name } = trigger;
      return samples(trigger).map(({ labels, value }) => ({
        labels: { namespace, trigger: name, ...labels },
        value,
      }));
    });
  const gauge = ([name, help, read]: Gauge): MetricFamily => ({
    name: `fnlet_trigger_${name}`,
    type: 'gauge',
    help,
    samples: perTrigger(({ state }) => {
      const value = state && read(state);
      return value === undefined ? [] : [{ labels: {}, value }];
    }),
  });
  return [
    {
      name: 'fnlet_trigger_events_total',
      type: 'counter',
      help: 'Events that sources brought, by what was done with them.',
      samples: perTrigger(({ counts }) =>
        incoming.map((result) => ({ labels: { result }, value: counts[result] })),
      ),
    },
    {
      name: 'fnlet_trigger_settled_total',
      type: 'counter',
      help: 'Events that do not wait any more, by what became of them.',
      samples: perTrigger(({ counts }) =>
        outgoing.map((result) => ({ labels: { result }, value: counts[result] })),
      ),
    },
    {
      name: 'fnlet_trigger_failed_attempts_total',
      type: 'counter',
      help: 'Requests to targets that failed.',
      samples: perTrigger(({ counts }) => [{ labels: {}, value: counts.failed }]),
    },
    {
      name: 'fnlet_trigger_pending_events',
      type: 'gauge',
      help: 'Events that are kept and not delivered, as of a few seconds ago.',
      samples: perTrigger(({ state }) => [{ labels: {}, value: state?.pending ?? 0 }]),
    },
    ...gauges.map(gauge),
    {
      name: 'fnlet_trigger_source_up',
      type: 'gauge',
      help: 'Whether the source of a Trigger can bring events: 1 or 0.',
      samples: perTrigger(({ state }) => [
        { labels: {}, value: state?.source.phase === 'running' ? 1 : 0 },
      ]),
    },
  ];
}

function toSeconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : timeMs / 1_000;
}
