import type { MetricFamily, MetricSample } from '@fnlet/base';
import type { Activator } from '../activator.ts';
import type { MirrorCounts } from '../traffic/mirrors.ts';
import type { OwnAnswers } from './own-answers.ts';
import { revisionFamilies } from './revision-meter.ts';

export interface GatewayMetricsParts {
  readonly activator: Activator;
  readonly ownAnswers: OwnAnswers;
  readonly mirrored: MirrorCounts;
  /** Connections of clients. */
  readonly connections: number;
  /** Of bodies that are held until they are complete. */
  readonly heldBytes: number;
}

/** What the Gateway counted, and how it stands now. */
export function gatewayMetrics(parts: GatewayMetricsParts): readonly MetricFamily[] {
  const { activator, ownAnswers, mirrored, connections, heldBytes } = parts;
  const inFlight: MetricSample[] = [];
  const queued: MetricSample[] = [];
  const counted = revisionFamilies((into) => {
    for (const { meter, demand } of activator.metered()) {
      meter.collect(into);
      inFlight.push({ labels: meter.labels, value: demand.inFlight });
      queued.push({ labels: meter.labels, value: demand.queued });
    }
  });
  return [
    ...counted,
    gauge('fnlet_requests_in_flight', 'Calls that Instances answer now.', inFlight),
    gauge('fnlet_queue_depth', 'Calls that wait for an Instance now.', queued),
    ownAnswers.family(),
    {
      name: 'fnlet_mirrored_requests_total',
      type: 'counter',
      help: 'Copies of calls, by what became of them; failed ones were sent, too.',
      samples: Object.entries(mirrored).map(([result, value]) => ({ labels: { result }, value })),
    },
    gauge('fnlet_gateway_connections', 'Connections of clients that are open now.', [
      { labels: {}, value: connections },
    ]),
    gauge('fnlet_gateway_held_bytes', 'Of bodies that are kept until they are complete.', [
      { labels: {}, value: heldBytes },
    ]),
  ];
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, type: 'gauge', help, samples };
}
