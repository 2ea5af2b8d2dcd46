import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterNames } from '@fnlet/server/cluster/names';
import { findEventsPlace, judgeEventsPlace } from './events-place.ts';
import { defaultValues, type InstallValues } from './install-settings.ts';
import { planInstall } from './plan-install.ts';

for (const [values, place, state] of [
  [{}, 'pod', 'warn'],
  [{ 'artifacts.persistent': true }, 'volume', 'ok'],
  [{ 'events.log': 'nats://nats:4222' }, 'nats', 'ok'],
  [{ 'events.logSecret': 'nats', 'artifacts.persistent': true }, 'nats', 'ok'],
] as const satisfies readonly (readonly [InstallValues, string, string])[]) {
  test(`with ${JSON.stringify(values)} events are kept in: ${place}`, () => {
    const all = { ...defaultValues, image: 'fnlet', ...values };
    const objects = planInstall({ namespace: 'fnlet-system', values: all });
    const deployment = objects.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === clusterNames.controller,
    );
    assert.equal(findEventsPlace(deployment), place);
    assert.equal(judgeEventsPlace(place)[0]?.state, state);
  });
}

test('nothing is said where nothing is installed', () => {
  assert.deepEqual(judgeEventsPlace(findEventsPlace(undefined)), []);
});
