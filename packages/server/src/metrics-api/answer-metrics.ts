/**
 * The metrics APIs of Kubernetes (k8s.io/metrics), with which autoscalers read Fnlet's Demand: a
 * request in, a document out. Two ways lead here: the embedded API, and an API server that passes
 * requests on to the controller of a cluster.
 *
 *     GET /apis/custom.metrics.k8s.io/v1beta2/namespaces/<ns>/functions.fnlet.dev/<name or *>/<metric>
 *     GET /apis/external.metrics.k8s.io/v1beta1/namespaces/<ns>/<metric>?labelSelector=function=<name>
 */
import { hasCode, type JsonObject } from '@fnlet/base';
import {
  formatQuantity,
  type LabelSelector,
  matchesLabels,
  parseLabelSelector,
  parseQuantity,
  statusError,
  toKubeTime,
} from '@fnlet/machinery';
import type { NumberSource, Numbers } from './demand-numbers.ts';
import {
  customMetricsGroup,
  type MeasuredKind,
  type MeasuredMetric,
  type MetricsGroup,
  measuredMetrics,
  measuredResources,
  metricsVersions,
} from './measured-metric.ts';

/** What is asked for below a namespace. */
export interface MetricsRequest {
  readonly method: string;
  readonly group: MetricsGroup;
  readonly version: string;
  readonly namespace: string;
  /** What follows the namespace in the path, decoded. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

export interface MetricsTerms {
  readonly source: NumberSource;
  readonly now: number;
}

/** An object with its numbers. */
interface Reading {
  readonly name: string;
  readonly numbers: Numbers;
}

/**
 * Answers one request.
 *
 * @throws StatusError `NotFound`, `BadRequest`, `MethodNotAllowed`
 */
export async function answerMetrics(
  request: MetricsRequest,
  terms: MetricsTerms,
): Promise<JsonObject> {
  const { group, version, method, namespace } = request;
  if (!metricsVersions[group].includes(version) || namespace === '') throw unknownResource();
  if (method !== 'GET') {
    const message = 'the server does not allow this method on the requested resource';
    throw statusError('MethodNotAllowed', message, {});
  }
  return group === customMetricsGroup
    ? await answerCustom(request, terms)
    : await answerExternal(request, terms);
}

async function answerCustom(request: MetricsRequest, terms: MetricsTerms): Promise<JsonObject> {
  const { namespace, rest, query, version, signal } = request;
  const [plural = '', name = '', metricName = '', ...more] = rest;
  const metric = findMetric(metricName);
  const isKnown = metric !== undefined && measuredResources[metric.kind].plural === plural;
  if (!isKnown || name === '' || more.length > 0) throw missingMetric(metricName, plural, name);
  // The numbers of an object have no labels by which some could be chosen.
  const takesMetric = matchesLabels(parseSelector(query.get('metricLabelSelector') ?? ''), {});
  const { source } = terms;
  const { kind } = metric;
  let found: readonly Reading[];
  if (name === '*') {
    const labelSelector = query.get('labelSelector') ?? '';
    parseSelector(labelSelector);
    const names = await source.select(kind, { namespace, labelSelector }, signal);
    found = readAll(source, { kind, namespace, names });
  } else {
    found = readAll(source, { kind, namespace, names: [name] });
    if (found.length === 0) {
      const details = { name, group: 'fnlet.dev', kind: plural.split('.')[0] ?? '' };
      throw statusError('NotFound', `${plural} "${name}" not found`, details);
    }
  }
  const items = takesMetric ? found.flatMap(measured(metric)) : [];
  if (name !== '*' && items.length === 0) throw missingMetric(metricName, plural, name);
  return {
    kind: 'MetricValueList',
    apiVersion: `${request.group}/${version}`,
    metadata: {},
    items: items.map((item) => ({
      describedObject: { kind, namespace, name: item.name, apiVersion: 'fnlet.dev/v1alpha1' },
      // Nothing here has labels, so no selector is needed to find it.
      ...(version === 'v1beta1'
        ? { metricName, selector: null }
        : { metric: { name: metricName, selector: null } }),
      timestamp: toKubeTime(terms.now),
      ...windowOf(metric, item, version === 'v1beta1' ? 'window' : 'windowSeconds'),
      value: toQuantity(item.value),
    })),
  };
}

async function answerExternal(request: MetricsRequest, terms: MetricsTerms): Promise<JsonObject> {
  const { namespace, rest, query, signal, group, version } = request;
  const [metricName = '', ...more] = rest;
  const metric = findMetric(metricName);
  if (metric === undefined || more.length > 0) {
    const text = `the server could not find the metric ${metricName} in namespace ${namespace}`;
    throw statusError('NotFound', text, {});
  }
  const { kind } = metric;
  const { label } = measuredResources[kind];
  const { source } = terms;
  const selector = parseSelector(query.get('labelSelector') ?? '');
  const names =
    namesIn(selector, label) ??
    (await source.select(kind, { namespace, labelSelector: '' }, signal));
  const items = readAll(source, { kind, namespace, names })
    .filter(({ name }) => matchesLabels(selector, { [label]: name }))
    .flatMap(measured(metric));
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: `${group}/${version}`,
    metadata: {},
    items: items.map((item) => ({
      metricName,
      metricLabels: { [label]: item.name },
      timestamp: toKubeTime(terms.now),
      ...windowOf(metric, item, 'window'),
      value: toQuantity(item.value),
    })),
  };
}

/** The names that a selector leaves, where it says; so nobody is asked which there are. */
function namesIn({ requirements }: LabelSelector, label: string): readonly string[] | undefined {
  const said = requirements.find(
    ({ key, operator }) => key === label && (operator === '=' || operator === 'in'),
  );
  return said === undefined ? undefined : [...new Set(said.values)];
}

function readAll(
  source: NumberSource,
  asked: {
    readonly kind: MeasuredKind;
    readonly namespace: string;
    readonly names: readonly string[];
  },
): readonly Reading[] {
  const { kind, namespace, names } = asked;
  return names.flatMap((name) => {
    const numbers = source.read(kind, { namespace, name });
    return numbers === undefined ? [] : [{ name, numbers }];
  });
}

/** An object with the number that is asked for. */
interface MeasuredItem extends Reading {
  readonly value: number;
}

/** What is not known is left out, and never told as nothing: who scales by it keeps what it has. */
function measured(metric: MeasuredMetric): (reading: Reading) => readonly MeasuredItem[] {
  return (reading) => {
    const value = reading.numbers.values.get(metric.name);
    return value === undefined ? [] : [{ ...reading, value }];
  };
}

function windowOf({ isAverage }: MeasuredMetric, { numbers }: Reading, field: string): JsonObject {
  const { windowSeconds } = numbers;
  return isAverage && windowSeconds !== undefined ? { [field]: windowSeconds } : {};
}

/** In thousandths, which is as exact as autoscalers count. */
function toQuantity(value: number): string {
  const quantity = parseQuantity(`${Math.round(value * 1000)}m`);
  return quantity === undefined ? '0' : formatQuantity(quantity);
}

function findMetric(name: string): MeasuredMetric | undefined {
  return measuredMetrics.find((metric) => metric.name === name);
}

function parseSelector(text: string): LabelSelector {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!hasCode(error, 'InvalidSelector')) throw error;
    throw statusError('BadRequest', error.message, {});
  }
}

function unknownResource(): Error {
  return statusError('NotFound', 'the server could not find the requested resource', {});
}

function missingMetric(metric: string, plural: string, name: string): Error {
  const text = `the server could not find the metric ${metric} for ${plural} ${name}`;
  return statusError('NotFound', text, {});
}
