import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './histogram.ts';
import { formatMetrics } from './prometheus-text.ts';

test('a histogram counts each value in its bucket and in every larger one', () => {
  const histogram = new Histogram('wait_seconds', 'How long.', [0.1, 1]);
  for (const value of [0.1, 0.5, 7]) histogram.observe({ queue: 'a' }, value);
  histogram.observe({ queue: 'b' }, 0);
  assert.equal(
    formatMetrics([histogram.family()]),
    [
      '# HELP wait_seconds How long.',
      '# TYPE wait_seconds histogram',
      'wait_seconds_bucket{queue="a",le="0.1"} 1',
      'wait_seconds_bucket{queue="a",le="1"} 2',
      'wait_seconds_bucket{queue="a",le="+Inf"} 3',
      'wait_seconds_sum{queue="a"} 7.6',
      'wait_seconds_count{queue="a"} 3',
      'wait_seconds_bucket{queue="b",le="0.1"} 1',
      'wait_seconds_bucket{queue="b",le="1"} 1',
      'wait_seconds_bucket{queue="b",le="+Inf"} 1',
      'wait_seconds_sum{queue="b"} 0',
      'wait_seconds_count{queue="b"} 1',
      '',
    ].join('\n'),
  );
});

test('text in labels is escaped as Prometheus reads it', () => {
  const samples = [{ labels: { path: 'a"b\\c\nd' }, value: 1 }];
  const family = { name: 'n', type: 'gauge', help: 'h', samples } as const;
  assert.match(formatMetrics([family]), /^n\{path="a\\"b\\\\c\\nd"\} 1$/m);
});
