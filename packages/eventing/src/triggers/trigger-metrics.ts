import type { MetricFamily, MetricSample } from '@fnlet/base';
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
