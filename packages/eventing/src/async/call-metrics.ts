import type { MetricFamily } from '@fnlet/base';
import type { Entry } from './call-index.ts';
import { callPhases } from './call-state.ts';

/** What is kept, for `/metrics`: calls by state, and how much room they take. */
export function callMetrics(entries: Iterable<Entry>): readonly MetricFamily[] {
  const counts = new Map<string, number>(callPhases.map((phase) => [phase, 0]));
  let bytes = 0;
  for (const entry of entries) {
    const { phase } = entry.state;
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
    bytes += entry.bytes;
  }
  return [
    {
      name: 'fnlet_async_calls',
      type: 'gauge',
      help: 'Asynchronous calls that are kept, by state.',
      samples: [...counts].map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: 'fnlet_async_calls_bytes',
      type: 'gauge',
      help: 'Bytes of the asynchronous calls that are kept, with their answers.',
      samples: [{ labels: {}, value: bytes }],
    },
  ];
}
