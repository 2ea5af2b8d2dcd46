import type { MetricFamily } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';

/** What is counted of a Broker since the start, and what it keeps, as of the last look. */
export interface BrokerCounts {
  accepted: number;
  /** They were there already. */
  duplicate: number;
  /** They went before every Trigger was done with them. */
  lost: number;
  events: number;
  bytes: number;
}

export function noBrokerCounts(): BrokerCounts {
  return { accepted: 0, duplicate: 0, lost: 0, events: 0, bytes: 0 };
}

/** Brokers for `/metrics`. */
export function brokerFamilies(
  brokers: readonly { readonly key: ObjectKey; readonly counts: BrokerCounts }[],
): readonly MetricFamily[] {
  const family = (
    name: string,
    type: 'counter' | 'gauge',
    help: string,
  ): Pick<MetricFamily, 'name' | 'type' | 'help'> => ({ name: `fnlet_broker_${name}`, type, help });
  const perBroker = (read: (counts: BrokerCounts) => number): MetricFamily['samples'] =>
    brokers.map(({ key: { namespace, name }, counts }) => ({
      labels: { namespace, broker: name },
      value: read(counts),
    }));
  return [
    {
      ...family('events_total', 'counter', 'Events that came, by what was done with them.'),
      samples: brokers.flatMap(({ key: { namespace, name }, counts }) =>
        (['accepted', 'duplicate'] as const).map((result) => ({
          labels: { namespace, broker: name, result },
          value: counts[result],
        })),
      ),
    },
    {
      ...family('events', 'gauge', 'Events that a Broker keeps, as of the last look.'),
      samples: perBroker(({ events }) => events),
    },
    {
      ...family('bytes', 'gauge', 'What these weigh.'),
      samples: perBroker(({ bytes }) => bytes),
    },
    {
      ...family(
        'lost_total',
        'counter',
        'Events that went before every Trigger was done with them.',
      ),
      samples: perBroker(({ lost }) => lost),
    },
  ];
}
