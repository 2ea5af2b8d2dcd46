import type { MetricFamily, MetricSample } from '@fnlet/base';
import type { WarmPool, WarmPoolCounts } from './warm-pool.ts';

/** How the warm pools stand, and what came of them, by runtime. */
export function warmPoolMetrics(
  pools: ReadonlyMap<string, Pick<WarmPool, 'counts'>>,
): readonly MetricFamily[] {
  const counted = [...pools].map(([runtime, pool]) => ({ runtime, counts: pool.counts() }));
  const samples = (
    label: string,
    values: (counts: WarmPoolCounts) => Readonly<Record<string, number>>,
  ): readonly MetricSample[] =>
    counted.flatMap(({ runtime, counts }) =>
      Object.entries(values(counts)).map(([key, value]) => ({
        labels: { runtime, [label]: key },
        value,
      })),
    );
  return [
    {
      name: 'fnlet_warm_runners',
      type: 'gauge',
      help: 'Runners without code: idle, which a wake finds ready, and starting.',
      samples: samples('state', ({ idle, starting }) => ({ idle, starting })),
    },
    {
      name: 'fnlet_warm_runners_taken_total',
      type: 'counter',
      help: 'Runners that were asked for: found idle, or waited for.',
      samples: samples('found', ({ takenIdle, takenLater }) => ({
        idle: takenIdle,
        later: takenLater,
      })),
    },
    {
      name: 'fnlet_warm_runners_started_total',
      type: 'counter',
      help: 'Runners that were started without code.',
      samples: counted.map(({ runtime, counts }) => ({
        labels: { runtime },
        value: counts.started,
      })),
    },
    {
      name: 'fnlet_warm_runners_failed_total',
      type: 'counter',
      help: 'Runners that could not be started, or died before they were of use.',
      samples: counted.map(({ runtime, counts }) => ({
        labels: { runtime },
        value: counts.failed,
      })),
    },
  ];
}
