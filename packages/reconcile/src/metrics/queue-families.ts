import type { MetricFamily } from '@fnlet/base';
import type { Controller } from '../controller.ts';
import type { QueueStats } from '../queue-observer.ts';

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly read: (stats: QueueStats) => number;
}

const gauges: readonly Gauge[] = [
  {
    name: 'workqueue_depth',
    help: 'Keys that wait, now or for a later time.',
    read: ({ depth }) => depth,
  },
  {
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the runs in progress have taken so far, all together.',
    read: ({ unfinishedMs }) => unfinishedMs / 1000,
  },
  {
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the oldest run in progress has taken so far.',
    read: ({ longestRunningMs }) => longestRunningMs / 1000,
  },
];

/** How the queues of these controllers stand now. */
export function queueFamilies(
  controllers: readonly Pick<Controller, 'name' | 'stats'>[],
): MetricFamily[] {
  const now = controllers.map((one) => ({ name: one.name, stats: one.stats() }));
  const families = gauges.map(({ name, help, read }): MetricFamily => {
    const samples = now.map((one) => ({
      labels: { controller: one.name, name: one.name },
      value: read(one.stats),
    }));
    return { name, type: 'gauge', help, samples };
  });
  const workers = now.map(({ name, stats: { running } }) => ({
    labels: { controller: name },
    value: running,
  }));
  const help = 'Runs in progress.';
  return [
    ...families,
    { name: 'controller_runtime_active_workers', type: 'gauge', help, samples: workers },
  ];
}
