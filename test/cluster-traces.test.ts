/** Spans of a Gateway of a cluster, and of the Runner in a Pod below it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTraceCollector } from '../packages/invocation/test/trace-collector.ts';
import {
  applyObject,
  awaitCondition,
  functionType,
  testNamespace,
  clusterWaitMs as timeoutMs,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const caller = 'b7ad6b7169203331';

test('a call in a cluster is a span of the Gateway, and below it one of its Pod', async () => {
  await using collector = await startTraceCollector();
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const endpoint = { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: collector.url };
  const { url } = await cluster.gateway({ environment: { [endpoint.name]: endpoint.value } });
  const source = { inline: "export default () => 'hello';" };
  const spec = { runtime: 'nodejs24', source, env: [endpoint] };
  await applyObject(cluster, functionType, { name: 'traced', spec });
  await awaitCondition(cluster, functionType, { name: 'traced' });
  const headers = { traceparent: `00-${traceId}-${caller}-01` };
  const answer = await fetch(`${url}/${testNamespace}/traced`, { headers });
  assert.equal(await answer.text(), 'hello', cluster.output());
  const spans = () => collector.spans.filter((span) => span.traceId === traceId);
  const serviceOf = (name: string) =>
    spans().find(({ resource }) => resource['service.name'] === name);
  const what = 'spans of Gateway and Pod';
  await until(() => serviceOf('fnlet-gateway') && serviceOf('traced'), { what, timeoutMs });
  const edge = serviceOf('fnlet-gateway');
  assert.deepEqual([edge?.name, edge?.parentSpanId], ['GET default/traced', caller]);
  assert.equal(serviceOf('traced')?.parentSpanId, edge?.spanId);
});
