import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { answerMetrics, type MetricsRequest } from './answer-metrics.ts';
import type { NumberSource, Numbers } from './demand-numbers.ts';
import { customMetricsGroup, externalMetricsGroup, metricsResources } from './measured-metric.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

function numbers(values: Readonly<Record<string, number>>): Numbers {
  return { values: new Map(Object.entries(values)), windowSeconds: 6 };
}

const functions: Readonly<Record<string, Numbers>> = {
  hello: numbers({
    fnlet_function_concurrency: 1.2344,
    fnlet_function_requests_per_second: 250,
    fnlet_function_queue_depth: 3,
    fnlet_function_queue_seconds: 0.05,
    fnlet_function_lag_events: 7,
  }),
  // Nobody knows yet what waits for it.
  quiet: numbers({ fnlet_function_concurrency: 0 }),
};
const orders: Numbers = {
  values: new Map([['fnlet_trigger_lag_events', 12_000]]),
  windowSeconds: undefined,
};

interface Asked {
  readonly kind: string;
  readonly labelSelector: string;
}

function sourceOf(asked: Asked[] = []): NumberSource {
  return {
    read(kind, { namespace, name }) {
      if (namespace !== 'shop') return undefined;
      if (kind === 'Function') return functions[name];
      return name === 'orders' ? orders : undefined;
    },
    async select(kind, { namespace, labelSelector }) {
      asked.push({ kind, labelSelector });
      if (namespace !== 'shop') return [];
      const known = kind === 'Function' ? Object.keys(functions) : ['orders'];
      return labelSelector === 'app=web' ? known.slice(0, 1) : known;
    },
  };
}

function request(path: string, method = 'GET'): MetricsRequest {
  const { pathname, searchParams: query } = new URL(path, 'https://localhost');
  const [, , group, version = '', , namespace = '', ...rest] = pathname.split('/');
  assert.ok(group === customMetricsGroup || group === externalMetricsGroup);
  const { signal } = new AbortController();
  return { method, group, version, namespace, rest, query, signal };
}

function get(path: string, asked?: Asked[]): Promise<JsonObject> {
  return answerMetrics(request(path), { source: sourceOf(asked), now });
}

const custom = '/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop';
const external = '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop';

test('one number of a Function is what client-go reads as a MetricValueList', async () => {
  assert.deepEqual(await get(`${custom}/functions.fnlet.dev/hello/fnlet_function_concurrency`), {
    kind: 'MetricValueList',
    apiVersion: 'custom.metrics.k8s.io/v1beta2',
    metadata: {},
    items: [
      {
        describedObject: {
          kind: 'Function',
          namespace: 'shop',
          name: 'hello',
          apiVersion: 'fnlet.dev/v1alpha1',
        },
        metric: { name: 'fnlet_function_concurrency', selector: null },
        timestamp: '2026-03-01T12:00:00Z',
        windowSeconds: 6,
        // In thousandths, as exact as an autoscaler counts.
        value: '1234m',
      },
    ],
  });
});

test('v1beta1 names the same number in its own words', async () => {
  const path = custom.replace('v1beta2', 'v1beta1');
  const name = 'fnlet_function_requests_per_second';
  const { items } = await get(`${path}/functions.fnlet.dev/hello/${name}`);
  assert.deepEqual(items, [
    {
      describedObject: {
        kind: 'Function',
        namespace: 'shop',
        name: 'hello',
        apiVersion: 'fnlet.dev/v1alpha1',
      },
      metricName: name,
      selector: null,
      timestamp: '2026-03-01T12:00:00Z',
      window: 6,
      value: '250',
    },
  ]);
});

test('what is counted as it stands has no window', async () => {
  const queue = await get(`${custom}/functions.fnlet.dev/hello/fnlet_function_queue_depth`);
  const lag = await get(`${custom}/triggers.fnlet.dev/orders/fnlet_trigger_lag_events`);
  for (const [{ items }, value] of [[queue, '3'] as const, [lag, '12k'] as const]) {
    const [item] = Array.isArray(items) ? items : [];
    assert.ok(isJsonObject(item));
    assert.equal(item.value, value);
    assert.ok(!('windowSeconds' in item));
  }
});

function names({ items }: JsonObject): readonly unknown[] {
  const objects = Array.isArray(items) ? items : [];
  return objects.map((item) => item.describedObject?.name ?? item.metricLabels);
}

test('the name * is all objects of the namespace that their labels select', async () => {
  const asked: Asked[] = [];
  const path = `${custom}/functions.fnlet.dev/*/fnlet_function_concurrency`;
  assert.deepEqual(names(await get(path, asked)), ['hello', 'quiet']);
  const some = `${path}?labelSelector=${encodeURIComponent('app=web')}`;
  assert.deepEqual(names(await get(some, asked)), ['hello']);
  assert.deepEqual(asked, [
    { kind: 'Function', labelSelector: '' },
    { kind: 'Function', labelSelector: 'app=web' },
  ]);
  const elsewhere = path.replace('/shop/', '/other/');
  assert.deepEqual(names(await get(elsewhere)), []);
});

test('what is not known is left out of lists, and is an error where it alone was asked for', async () => {
  const path = `${custom}/functions.fnlet.dev`;
  assert.deepEqual(names(await get(`${path}/*/fnlet_function_lag_events`)), ['hello']);
  await assert.rejects(get(`${path}/quiet/fnlet_function_lag_events`), {
    code: 'NotFound',
    message:
      'the server could not find the metric fnlet_function_lag_events for functions.fnlet.dev quiet',
  });
});

test('numbers have no labels of their own to be chosen by', async () => {
  const path = `${custom}/functions.fnlet.dev/hello/fnlet_function_concurrency`;
  await assert.rejects(get(`${path}?metricLabelSelector=path%3Da`), { code: 'NotFound' });
  const all = await get(`${path.replace('hello', '*')}?metricLabelSelector=path%3Da`);
  assert.deepEqual(all.items, []);
});

test('an external metric is found by its label, and tells whose it is', async () => {
  const asked: Asked[] = [];
  const path = `${external}/fnlet_function_lag_events`;
  const one = await get(`${path}?labelSelector=function%3Dhello`, asked);
  assert.deepEqual(one, {
    kind: 'ExternalMetricValueList',
    apiVersion: 'external.metrics.k8s.io/v1beta1',
    metadata: {},
    items: [
      {
        metricName: 'fnlet_function_lag_events',
        metricLabels: { function: 'hello' },
        timestamp: '2026-03-01T12:00:00Z',
        value: '7',
      },
    ],
  });
  // Whoever names it costs the API nothing.
  assert.deepEqual(asked, []);
  const both = `${external}/fnlet_function_concurrency?labelSelector=`;
  assert.deepEqual(names(await get(`${both}function+in+(quiet,hello)`)), [
    { function: 'hello' },
    { function: 'quiet' },
  ]);
  assert.deepEqual(names(await get(`${both}function!%3Dhello`, asked)), [{ function: 'quiet' }]);
  assert.deepEqual(asked, [{ kind: 'Function', labelSelector: '' }]);
  assert.deepEqual(names(await get(`${both}other%3Da`)), []);
  assert.deepEqual(names(await get(`${external}/fnlet_trigger_lag_events`)), [
    { trigger: 'orders' },
  ]);
});

test('what there is not is refused as an API refuses it', async () => {
  const cases: readonly [string, string, RegExp?][] = [
    [`${custom}/functions.fnlet.dev/gone/fnlet_function_concurrency`, 'NotFound', /"gone" not/],
    [`${custom}/functions.fnlet.dev/hello/fnlet_trigger_lag_events`, 'NotFound'],
    [`${custom}/pods/hello/fnlet_function_concurrency`, 'NotFound'],
    [`${custom}/functions.fnlet.dev/hello/cpu`, 'NotFound', /metric cpu for functions/],
    [`${custom}/functions.fnlet.dev/hello/fnlet_function_concurrency/more`, 'NotFound'],
    [`${custom}/functions.fnlet.dev/hello`, 'NotFound'],
    [`${custom.replace('v1beta2', 'v1')}/functions.fnlet.dev/hello/cpu`, 'NotFound'],
    [`${external}/cpu`, 'NotFound', /metric cpu in namespace shop/],
    [`${external}/fnlet_function_concurrency?labelSelector=((`, 'BadRequest'],
    [`${custom}/functions.fnlet.dev/*/fnlet_function_concurrency?labelSelector=((`, 'BadRequest'],
  ];
  for (const [path, code, message] of cases) {
    await assert.rejects(get(path), (error: Error & { code?: string }) => {
      assert.equal(error.code, code, path);
      assert.match(error.message, message ?? /./, path);
      return true;
    });
  }
  const put = request(`${custom}/functions.fnlet.dev/hello/fnlet_function_concurrency`, 'PUT');
  await assert.rejects(answerMetrics(put, { source: sourceOf(), now }), {
    code: 'MethodNotAllowed',
  });
});

test('discovery names each number once', () => {
  const names = metricsResources(customMetricsGroup).map(({ name }) => name);
  assert.equal(new Set(names).size, 6);
  assert.ok(names.includes('triggers.fnlet.dev/fnlet_trigger_lag_events'));
  assert.deepEqual(metricsResources(externalMetricsGroup).at(-1), {
    name: 'fnlet_trigger_lag_events',
    kind: 'ExternalMetricValueList',
    namespaced: true,
    verbs: ['get'],
  });
});
