import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noCounts } from '../delivery/delivery-counts.ts';
import { deliveryDurations, triggerFamilies } from './trigger-metrics.ts';

const counts = { ...noCounts(), accepted: 3, filtered: 0, duplicate: 0, refused: 0 };
const part = { phase: 'running', trouble: undefined } as const;

test('triggerFamilies() tells what is known of a Trigger, and nothing else', () => {
  const trigger = {
    ...{ namespace: 'default', name: 'orders', counts },
    state: {
      source: { ...part, lag: undefined, nextMs: 2_500 },
      delivery: { ...part, circuit: 'closed', failures: 2, lastFailure: 'Answered 500' },
      ...{ pending: 4, deadLetters: 1, lastEventMs: 1_500, lastDeliveryMs: undefined },
    },
  } as const;
  const values = new Map(
    triggerFamilies([trigger, { ...trigger, name: 'new', state: undefined }]).map((family) => [
      family.name.replace('fnlet_trigger_', ''),
      family.samples.map(({ value }) => value),
    ]),
  );
  assert.deepEqual(values.get('failures'), [2]);
  assert.deepEqual(values.get('dead_letters'), [1]);
  assert.deepEqual(values.get('source_lag_events'), []);
  assert.deepEqual(values.get('last_event_timestamp_seconds'), [1.5]);
  assert.deepEqual(values.get('last_delivery_timestamp_seconds'), []);
  assert.deepEqual(values.get('next_fire_timestamp_seconds'), [2.5]);
  assert.deepEqual(values.get('pending_events'), [4, 0]);
});

test('deliveryDurations() spread from a millisecond to a minute, and go with their Trigger', () => {
  const durations = deliveryDurations();
  for (const seconds of [0.0005, 0.003, 70]) {
    durations.observe({ namespace: 'default', trigger: 'orders' }, seconds);
  }
  const below = new Map(
    durations.family().samples.map(({ suffix, labels, value }) => [labels.le ?? suffix, value]),
  );
  const found = ['0.001', '0.002', '0.005', '60', '+Inf', '_count'].map((le) => below.get(le));
  assert.deepEqual(found, [1, 1, 2, 2, 3, 3]);
  durations.remove({ namespace: 'default', trigger: 'orders' });
  assert.deepEqual(durations.family().samples, []);
});
