/** Numbers of objects and from outside, as the metrics APIs of Kubernetes tell them (k8s.io/metrics). */
import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import type { DiscoveryCache, Transport } from '@fnlet/client';
import {
  formatLabelSelector,
  type LabelSelectorSpec,
  labelSelectorFromSpec,
  parseQuantity,
  quantityValue,
} from '@fnlet/machinery';
import type { MetricSpec } from './horizontal-pod-autoscaler.ts';
import type { ReadNumber } from './measure-metric.ts';

const customPath = '/apis/custom.metrics.k8s.io/v1beta2/namespaces';
const externalPath = '/apis/external.metrics.k8s.io/v1beta1/namespaces';

/** How numbers are asked for. */
export interface NumberWay {
  readonly transport: Transport;
  readonly discovery: DiscoveryCache;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The numbers that metrics ask for; a metric of which nobody tells any is not there. */
export async function readNumbers(
  metrics: readonly MetricSpec[],
  way: NumberWay,
): Promise<ReadonlyMap<MetricSpec, ReadNumber>> {
  const found = new Map<MetricSpec, ReadNumber>();
  for (const metric of metrics) {
    const number = await readNumber(metric, way).catch((error: unknown) => {
      way.signal.throwIfAborted();
      return { error: errorMessage(error) };
    });
    if (number !== undefined) found.set(metric, number);
  }
  return found;
}

async function readNumber(
  { type, object, external, pods }: MetricSpec,
  way: NumberWay,
): Promise<ReadNumber | undefined> {
  if (type === 'Object' && object !== undefined) {
    const { kind, name, apiVersion = 'v1' } = object.describedObject;
    const served = await way.discovery.ofKind(apiVersion, kind, { signal: way.signal });
    if (served === undefined) return { error: `no matches for kind "${kind}"` };
    const { plural, group } = served.type;
    const resource = group === '' ? plural : `${plural}.${group}`;
    const { name: metric, selector } = object.metric;
    const path = `${customPath}/${way.namespace}/${resource}/${name}/${metric}`;
    return await ask(way, path, formatQuery('metricLabelSelector', selector));
  }
  if (type === 'External' && external !== undefined) {
    const { name, selector } = external.metric;
    const path = `${externalPath}/${way.namespace}/${name}`;
    return await ask(way, path, formatQuery('labelSelector', selector));
  }
  if (type === 'Pods' && pods !== undefined) {
    const found = await ask(way, `${customPath}/${way.namespace}/pods/*/${pods.metric.name}`, {});
    // Who tells any is not asked further: of which Pods they count is not looked at here.
    return found === undefined || 'error' in found ? found : { error: podsUncounted };
  }
  return undefined;
}

const podsUncounted = 'metrics of the type Pods are not counted here';

function formatQuery(
  name: string,
  selector: LabelSelectorSpec | undefined,
): Readonly<Record<string, string>> {
  return selector === undefined
    ? {}
    : { [name]: formatLabelSelector(labelSelectorFromSpec(selector)) };
}

/** The sum of what is told; `undefined` where nobody serves the API. */
async function ask(
  { transport, signal }: NumberWay,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<ReadNumber | undefined> {
  const response = await transport.request({ method: 'GET', path, query, signal });
  const found: unknown = await response.json().catch(() => undefined);
  if (!isJsonObject(found)) return undefined;
  if (response.status !== 200) return { error: String(found.message ?? response.status) };
  const items = Array.isArray(found.items) ? found.items.filter(isJsonObject) : [];
  if (items.length === 0) return { error: 'no metrics returned from external metrics API' };
  return { milli: items.reduce((sum, item) => sum + milliOf(item), 0) };
}

function milliOf({ value }: JsonObject): number {
  const quantity = parseQuantity(String(value));
  return quantity === undefined ? 0 : Math.round(quantityValue(quantity) * 1000);
}
