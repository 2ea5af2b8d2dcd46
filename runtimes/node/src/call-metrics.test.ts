import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Specialisation } from '@fnlet/invocation';
import { CallMetrics } from './call-metrics.ts';

const own: Specialisation = {
  namespace: 'demo',
  function: 'hello',
  revision: 'hello-1',
  instance: 'hello-1-a',
  runtime: 'nodejs24',
  sourceDirectory: '/',
  handler: 'default',
  env: { MOD_NAME: 'a"b' },
  limits: { timeoutMs: 1, bodyBytesMax: 1, drainMs: 1 },
};

function observed(): CallMetrics {
  const metrics = new CallMetrics();
  metrics.observe({ method: 'GET', durationMs: 3, failed: false });
  metrics.observe({ method: 'GET', durationMs: 30_000, failed: true });
  metrics.observe({ method: 'PUT', durationMs: 250, failed: false });
  return metrics;
}

const has = (text: string, ...lines: readonly string[]): void => {
  for (const line of lines) assert.ok(text.split('\n').includes(line), `${line}\nin\n${text}`);
};

test('CallMetrics counts by method, in seconds', () => {
  const text = observed().render(own);
  has(
    text,
    'function_calls_total{method="GET"} 2',
    'function_calls_total{method="PUT"} 1',
    'function_failures_total{method="GET"} 1',
    'function_failures_total{method="PUT"} 0',
    'function_duration_seconds_bucket{method="GET",le="0.005"} 1',
    'function_duration_seconds_bucket{method="GET",le="10"} 1',
    'function_duration_seconds_bucket{method="GET",le="+Inf"} 2',
    'function_duration_seconds_sum{method="GET"} 30.003',
    'function_duration_seconds_bucket{method="PUT",le="0.1"} 0',
    'function_duration_seconds_bucket{method="PUT",le="0.25"} 1',
  );
  assert.ok(!text.includes('miliseconds'));
});

test("CallMetrics has Kyma's scope and spelling", () => {
  const labels = 'method="PUT",otel_scope_name="hello"';
  has(
    observed().render({ ...own, compatibility: 'kyma' }),
    `function_calls_total{${labels}} 1`,
    `function_duration_miliseconds_bucket{${labels},le="100"} 0`,
    `function_duration_miliseconds_bucket{${labels},le="250"} 1`,
  );
});

test("CallMetrics has Kubeless's modules, escaped", () => {
  const text = observed().render({ ...own, compatibility: 'kubeless' });
  has(text, 'function_calls_total{method="a\\"b-PUT"} 1');
});

test('CallMetrics without calls, before there is a function, still tells its families', () => {
  const text = new CallMetrics().render(undefined);
  has(text, '# TYPE function_calls_total counter', '# TYPE function_duration_seconds histogram');
});
