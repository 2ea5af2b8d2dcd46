import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumCallCounts } from './call-counts.ts';

const page = (calls: number): string => `# TYPE function_calls_total counter
function_calls_total{method="GET"} ${calls}
function_failures_total{method="GET"} 1
function_duration_seconds_bucket{le="0.5",method="GET"} 7
function_duration_seconds_sum{handler="a",method="GET"} 0.25
function_calls_total{method="POST"} 1
other 3
`;

test('sumCallCounts() adds up what the Instances have counted', () => {
  assert.deepEqual(sumCallCounts([page(2), page(3), '']), [
    { method: 'GET', calls: 5, failures: 2, seconds: 0.5 },
    { method: 'POST', calls: 2, failures: 0, seconds: 0 },
  ]);
  assert.deepEqual(sumCallCounts([]), []);
});
