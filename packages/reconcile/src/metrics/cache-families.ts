import type { MetricFamily } from '@fnlet/base';
import type { Cache, CacheStats } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';

/** What these caches hold now; those of one kind count together. */
export function cacheFamilies(caches: readonly Cache<KubeObject>[]): MetricFamily[] {
  const byKind = new Map<string, CacheStats>();
  for (const cache of caches) {
    const { group, plural } = cache.type;
    const resource = group === '' ? plural : `${plural}.${group}`;
    byKind.set(resource, sum(cache.stats(), byKind.get(resource)));
  }
  const samples = (read: (stats: CacheStats) => number): MetricFamily['samples'] =>
    Array.from(byKind, ([resource, stats]) => ({ labels: { resource }, value: read(stats) }));
  return [
    {
      name: 'fnlet_cache_objects',
      type: 'gauge',
      help: 'Objects in the caches.',
      samples: samples(({ objects }) => objects),
    },
    {
      name: 'fnlet_cache_bytes',
      type: 'gauge',
      help: 'What cached objects take of the heap, estimated from some of them.',
      samples: samples(({ bytes }) => bytes),
    },
    {
      name: 'fnlet_watch_restarts_total',
      type: 'counter',
      help: 'How often a cache read everything anew because the history of its watch was lost.',
      samples: samples(({ restarts }) => restarts),
    },
    {
      name: 'fnlet_watch_reconnects_total',
      type: 'counter',
      help: 'How often a watch was opened again: its server had ended it, or it had failed.',
      samples: samples(({ reconnects }) => reconnects),
    },
    {
      name: 'fnlet_watch_bookmarks_total',
      type: 'counter',
      help: 'Bookmarks that watches were sent.',
      samples: samples(({ bookmarks }) => bookmarks),
    },
  ];
}

function sum(one: CacheStats, other: CacheStats | undefined): CacheStats {
  if (other === undefined) return one;
  return {
    objects: one.objects + other.objects,
    bytes: one.bytes + other.bytes,
    restarts: one.restarts + other.restarts,
    reconnects: one.reconnects + other.reconnects,
    bookmarks: one.bookmarks + other.bookmarks,
  };
}
