/** Every query of the dashboards finds its series, with its labels, in what a cluster exports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics } from '@fnlet/base';
import {
  RevisionMeter,
  revisionFamilies,
} from '../packages/gateway/src/metering/revision-meter.ts';
import { dashboards } from '../tooling/dashboards.ts';
import {
  applyObject,
  awaitCondition,
  brokerType,
  functionType,
  secretType,
  clusterWaitMs as timeoutMs,
  triggerType,
} from './cluster-objects.ts';
import { ClusterParts, type GatewayPart, type Part } from './cluster-parts.ts';
import { until } from './until.ts';

const podType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** What Prometheus adds to every series. */
const targetLabels: ReadonlySet<string> = new Set(['pod', 'le']);

/** What no source of this test can say, of a family that is there: how far behind it is. */
const unsaid: ReadonlyMap<string, readonly string[]> = new Map([
  ['fnlet_trigger_source_lag_events', ['namespace', 'trigger']],
]);

/** What a Gateway tells when something goes wrong, as its own meter writes it down. */
function troubles(): string {
  const meter = new RevisionMeter({ namespace: 'a', function: 'b', revision: 'c' });
  meter.onCut();
  meter.onRetry(true);
  meter.onEjected();
  return formatMetrics(revisionFamilies((into) => meter.collect(into)));
}

/** A series that a query asks for. */
interface Asked {
  readonly name: string;
  readonly labels: readonly string[];
}

/** The series of a query, with all labels that it selects and groups them by. */
function seriesOf(expr: string): readonly Asked[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim()),
  );
  return [...expr.matchAll(/\b(fnlet_\w+)(\{[^}]*\})?/g)].map(([, name = '', matchers = '']) => {
    const matched = [...matchers.matchAll(/(\w+)(?:=~|=|!=|!~)"/g)].map(([, label = '']) => label);
    return { name, labels: [...new Set([...matched, ...grouped])] };
  });
}

/** The labels of series, by their names; of a family that is only announced there are none. */
type Exported = Map<string, Set<string>>;

/** Adds what a page of Prometheus' text format tells. */
function readPage(text: string, found: Exported = new Map()): Exported {
  for (const line of text.split('\n')) {
    const [, family] = /^# TYPE (\w+)/.exec(line) ?? [];
    if (family !== undefined && !found.has(family)) found.set(family, new Set());
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (line.startsWith('#') || name === undefined) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

async function scrape(parts: readonly Part[], found: Exported): Promise<void> {
  const pages = await Promise.all(
    parts.map(async ({ healthUrl }) => (await fetch(`${healthUrl}/metrics`)).text()),
  );
  readPage(pages.join('\n'), found);
}

/** Lets everything happen once that a dashboard shows. */
async function live(cluster: ClusterParts, gateway: GatewayPart): Promise<void> {
  await applyObject(cluster, functionType, {
    ...{ name: 'shown' },
    spec: {
      runtime: 'nodejs24',
      source: { inline: "export default () => 'seen';" },
      scale: { idleAfter: '1s', limit: 1 },
    },
  });
  await awaitCondition(cluster, functionType, { name: 'shown' });
  const target = { function: 'shown' };
  await applyObject(cluster, brokerType, { name: 'main', spec: {} });
  const events = { http: { paths: [{ exact: '/in' }], events: {} } };
  await applyObject(cluster, triggerType, { name: 'in', spec: { source: events, target } });
  await awaitCondition(cluster, triggerType, { name: 'in' });
  await applyObject(cluster, secretType, { name: 'keys', type: 'Opaque', data: {} });
  const http = { paths: [{ exact: '/shop' }], auth: { anyOf: [{ apiKey: { secret: 'keys' } }] } };
  await applyObject(cluster, triggerType, { name: 'shop', spec: { source: { http }, target } });
  await awaitCondition(cluster, triggerType, { name: 'shop' });
  const headers = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 'sent' };
  await until(
    async () => (await fetch(`${gateway.url}/in`, { method: 'POST', headers })).status === 202,
    { what: 'an event to be taken', timeoutMs },
  );
  const later = { method: 'POST', headers: { prefer: 'respond-async' } };
  await until(async () => (await fetch(`${gateway.url}/default/shown`, later)).status === 202, {
    what: 'a call for later to be taken',
    timeoutMs,
  });
}

/** Calls of all kinds, which find nobody awake at times. */
async function call({ url }: GatewayPart): Promise<void> {
  const paths = ['default/shown', 'default/shown', 'default/shown', 'shop', 'nowhere'];
  await Promise.all(paths.map(async (path) => (await fetch(`${url}/${path}`)).text()));
}

async function isAsleep({ client }: ClusterParts): Promise<boolean> {
  const labelSelector = 'fnlet.dev/function=shown';
  return (await client.of(podType).list({ labelSelector })).items.length === 0;
}

test('every query of a dashboard asks for what controller and Gateway export', async () => {
  await using cluster = await ClusterParts.start();
  const controller = await cluster.controller();
  const gateway = await cluster.gateway();
  await live(cluster, gateway);
  const queries = dashboards.flatMap(({ rows, variables }) => [
    ...rows.flatMap(({ panels }) => panels.flatMap(({ queries: own }) => own)),
    ...variables.map(({ query }) => ({ expr: query, legend: '' })),
  ]);
  assert.ok(queries.length > 30);
  const exported = readPage(troubles());
  const missing = async (): Promise<readonly string[]> => {
    if (exported.has('fnlet_cold_start_seconds_count') || (await isAsleep(cluster))) {
      await call(gateway);
    }
    await scrape([controller, gateway], exported);
    return queries.flatMap(({ expr, legend }) => {
      const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const series = seriesOf(expr);
      assert.ok(series.length > 0, expr);
      return series.flatMap(({ name, labels }) => {
        const found = exported.get(name);
        if (found === undefined) return [`${name} of ${expr}`];
        const known = found.size > 0 ? found : new Set(unsaid.get(name) ?? []);
        return [...labels, ...shown]
          .filter((label) => !known.has(label) && !targetLabels.has(label))
          .map((label) => `label ${label} of ${name} in ${expr}`);
      });
    });
  };
  let last: readonly string[] = [];
  await until(
    async () => {
      last = await missing();
      return last.length === 0;
    },
    { what: 'all series to be exported', timeoutMs },
  ).catch((error: unknown) => {
    throw new Error(`${last.join('\n')}\n${cluster.output()}`, { cause: error });
  });
});

test('a query for what nobody exports is found out: the test above would see one', () => {
  assert.deepEqual(
    seriesOf('sum by (namespace, le) (rate(fnlet_a_total{b=~"$c"}[1m])) / fnlet_d'),
    [
      { name: 'fnlet_a_total', labels: ['b', 'namespace', 'le'] },
      { name: 'fnlet_d', labels: ['namespace', 'le'] },
    ],
  );
  const page = readPage('# TYPE fnlet_x counter\nfnlet_x{a="1",b="}"} 1\n# TYPE fnlet_y gauge\n');
  assert.deepEqual([...(page.get('fnlet_x') ?? [])], ['a', 'b']);
  assert.deepEqual([...(page.get('fnlet_y') ?? ['none'])], []);
  assert.equal(page.get('fnlet_z'), undefined);
});
