/** The numbers that autoscalers may ask for: names, and whose they are. */

/** A kind that has numbers. */
export type MeasuredKind = 'Function' | 'Trigger';

export interface MeasuredMetric {
  readonly name: string;
  readonly kind: MeasuredKind;
  /** Whether it is an average over the window, rather than as it stands. */
  readonly isAverage: boolean;
}

/** All of them; docs/autoscaling.md says what they mean. */
export const measuredMetrics: readonly MeasuredMetric[] = [
  { name: 'fnlet_function_concurrency', kind: 'Function', isAverage: true },
  { name: 'fnlet_function_requests_per_second', kind: 'Function', isAverage: true },
  { name: 'fnlet_function_queue_depth', kind: 'Function', isAverage: false },
  { name: 'fnlet_function_queue_seconds', kind: 'Function', isAverage: true },
  { name: 'fnlet_function_lag_events', kind: 'Function', isAverage: false },
  { name: 'fnlet_trigger_lag_events', kind: 'Trigger', isAverage: false },
];

/** What the numbers of a kind are found by: its resource, and the label of external metrics. */
export const measuredResources: Readonly<
  Record<MeasuredKind, { readonly plural: string; readonly label: string }>
> = {
  Function: { plural: 'functions.fnlet.dev', label: 'function' },
  Trigger: { plural: 'triggers.fnlet.dev', label: 'trigger' },
};

/** The API groups in which they are served (k8s.io/metrics). */
export const customMetricsGroup = 'custom.metrics.k8s.io';
export const externalMetricsGroup = 'external.metrics.k8s.io';

/** Their versions, preferred first. */
export const metricsVersions: Readonly<Record<MetricsGroup, readonly string[]>> = {
  [customMetricsGroup]: ['v1beta2', 'v1beta1'],
  [externalMetricsGroup]: ['v1beta1'],
};

export type MetricsGroup = typeof customMetricsGroup | typeof externalMetricsGroup;

/** A resource as discovery names it. */
export interface MetricsResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: true;
  readonly verbs: readonly string[];
}

/** What a group serves, in each of its versions. */
export function metricsResources(group: MetricsGroup): readonly MetricsResource[] {
  const isCustom = group === customMetricsGroup;
  const kind = isCustom ? 'MetricValueList' : 'ExternalMetricValueList';
  return measuredMetrics.map((metric) => {
    const { plural } = measuredResources[metric.kind];
    const name = isCustom ? `${plural}/${metric.name}` : metric.name;
    return { name, kind, namespaced: true, verbs: ['get'] };
  });
}
