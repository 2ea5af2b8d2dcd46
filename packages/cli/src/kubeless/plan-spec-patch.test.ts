import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronJobTriggerCrd, cronJobTriggerType } from '@fnlet/api/kubeless';
import { startTestCluster } from '@fnlet/testing';
import { planCronTrigger } from './plan-cron-trigger.ts';
import { planSpecPatch } from './plan-spec-patch.ts';

const key = { name: 'tick', namespace: 'default' };
const wish = { function: 'hello', schedule: '@hourly' };

test('planSpecPatch() replaces a spec, unless another one was written since', async () => {
  await using cluster = await startTestCluster({ objects: [cronJobTriggerCrd] });
  const triggers = cluster.client.of(cronJobTriggerType);
  const before = await triggers.create(planCronTrigger(key, { ...wish, payload: '{"a":1}' }));
  const status = { lastScheduleTime: '2026-01-01T00:00:00Z' };
  await triggers.patch(key, { type: 'merge', patch: { status } }, { subresource: 'status' });

  const { spec } = planCronTrigger(key, { ...wish, payload: '{"b":2}' });
  const patch = planSpecPatch(before, spec);
  const after = await triggers.patch(key, { type: 'json', patch });
  assert.deepEqual({ ...after }.spec, spec);
  await assert.rejects(triggers.patch(key, { type: 'json', patch }), { name: 'StatusError' });
});
