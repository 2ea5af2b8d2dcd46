import { formatMetrics, type MetricFamily, prometheusContentType } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import { collectionPrefix } from '../object/object-keys.ts';
import type { ApiResponse } from '../request/api-request.ts';
import type { Catalog } from '../resource/catalog.ts';
import type { RequestMetrics } from './request-metrics.ts';

/** What the page tells about. */
export interface MetricsPageParts {
  readonly requests: RequestMetrics;
  readonly catalog: Catalog;
  readonly store: Store;
  /** What others count. */
  readonly others: readonly MetricFamily[];
}

/** `/metrics`: requests, objects in the store, and this process, in Prometheus' text format. */
export function metricsPage({ requests, catalog, store, others }: MetricsPageParts): ApiResponse {
  const own = [...requests.families(), ...storeFamilies(catalog, store), ...processFamilies()];
  const families = [...own, ...others];
  return {
    status: 200,
    headers: { 'content-type': prometheusContentType },
    body: { kind: 'text', text: formatMetrics(families) },
  };
}

function storeFamilies(catalog: Catalog, store: Store): readonly MetricFamily[] {
  const objects = catalog.storedKinds().flatMap(({ strategy }) => {
    const value = store.count(collectionPrefix(strategy, ''));
    const { group, plural } = strategy.stored;
    const resource = group === '' ? plural : `${plural}.${group}`;
    return value === 0 ? [] : [{ labels: { resource }, value }];
  });
  return [
    {
      name: 'apiserver_storage_objects',
      type: 'gauge',
      help: 'Objects in the store, by kind; kinds without any are left out.',
      samples: objects,
    },
    {
      name: 'fnlet_store_revision',
      // A number that is known, not one that was counted: nobody asks for its rate.
      type: 'gauge',
      help: 'The resourceVersion of the latest write.',
      samples: [{ labels: {}, value: store.revision }],
    },
  ];
}

function processFamilies(): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU that this process has used, in user and kernel mode.',
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory of this process.',
      samples: [{ labels: {}, value: process.memoryUsage.rss() }],
    },
  ];
}
