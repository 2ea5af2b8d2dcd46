import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerFamilies, noBrokerCounts } from './broker-metrics.ts';

test('brokerFamilies() tells what came, what is kept and what was lost', () => {
  const key = { namespace: 'default', name: 'shop' };
  const counts = { ...noBrokerCounts(), accepted: 3, duplicate: 1, lost: 2, events: 5, bytes: 70 };
  const labels = { namespace: 'default', broker: 'shop' };
  const told = brokerFamilies([{ key, counts }]).map(({ name, samples }) => [name, samples]);
  assert.deepEqual(told, [
    [
      'fnlet_broker_events_total',
      [
        { labels: { ...labels, result: 'accepted' }, value: 3 },
        { labels: { ...labels, result: 'duplicate' }, value: 1 },
      ],
    ],
    ['fnlet_broker_events', [{ labels, value: 5 }]],
    ['fnlet_broker_bytes', [{ labels, value: 70 }]],
    ['fnlet_broker_lost_total', [{ labels, value: 2 }]],
  ]);
});
