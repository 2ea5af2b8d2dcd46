import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './histogram.ts';

test('a Histogram counts each value in its bucket and in all larger ones', () => {
  const histogram = new Histogram([1, 2.5]);
  for (const value of [0, 1, 1.5, 2.5, 7]) histogram.observe(value);
  assert.equal(
    histogram.render('size', 'method="GET"'),
    'size_bucket{method="GET",le="1"} 2\n' +
      'size_bucket{method="GET",le="2.5"} 4\n' +
      'size_bucket{method="GET",le="+Inf"} 5\n' +
      'size_sum{method="GET"} 12\n' +
      'size_count{method="GET"} 5\n',
  );
});

test('a Histogram without values says so', () => {
  assert.match(new Histogram([]).render('size', 'a="b"'), /le="\+Inf"} 0\nsize_sum{a="b"} 0\n/);
});
