import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics } from '@fnlet/base';
import { warmPoolMetrics } from './warm-pool-metrics.ts';

test('warmPoolMetrics() tells of each runtime how its pool stands, and what came of it', () => {
  const counts = { idle: 2, starting: 1, takenIdle: 5, takenLater: 3, started: 11, failed: 4 };
  const lines = formatMetrics(warmPoolMetrics(new Map([['nodejs24', { counts: () => counts }]])));
  for (const line of [
    'fnlet_warm_runners{runtime="nodejs24",state="idle"} 2',
    'fnlet_warm_runners{runtime="nodejs24",state="starting"} 1',
    'fnlet_warm_runners_taken_total{runtime="nodejs24",found="idle"} 5',
    'fnlet_warm_runners_taken_total{runtime="nodejs24",found="later"} 3',
    'fnlet_warm_runners_started_total{runtime="nodejs24"} 11',
    'fnlet_warm_runners_failed_total{runtime="nodejs24"} 4',
  ]) {
    assert.ok(lines.split('\n').includes(line), line);
  }
});
