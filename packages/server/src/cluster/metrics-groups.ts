import { LateMetrics } from '../late-metrics.ts';
import { createNumberSource, type NumberSourceParts } from '../metrics-api/demand-numbers.ts';
import {
  customMetricsGroup,
  externalMetricsGroup,
  type MetricsGroup,
  metricsResources,
  metricsVersions,
} from '../metrics-api/measured-metric.ts';
import type { AggregatedGroup } from './aggregation/aggregated-group.ts';
import type { ClusterProcessOptions } from './cluster-process.ts';
import { metricsWarmMs } from './limits.ts';
import type { ControllerConfig } from './settings.ts';

/**
 * What autoscalers may read of the replica that leads, where it is wanted. Its Gateways have just
 * begun to tell it what they measure: until it knows a window, it says nothing.
 */
export function metricsGroups(
  { config, clock }: Pick<ClusterProcessOptions<ControllerConfig>, 'config' | 'clock'>,
  parts: NumberSourceParts,
): readonly AggregatedGroup[] {
  const wanted: MetricsGroup[] = [];
  if (config.customMetrics) wanted.push(customMetricsGroup);
  if (config.externalMetrics) wanted.push(externalMetricsGroup);
  const measured = new LateMetrics(clock);
  measured.begin(createNumberSource(parts), { afterMs: metricsWarmMs });
  return wanted.map((group) => ({
    extension: measured.api(group),
    versions: metricsVersions[group],
    resources: metricsResources(group).map((resource) => ({ singularName: '', ...resource })),
  }));
}
