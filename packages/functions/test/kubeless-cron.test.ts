// CronJobTriggers of Kubeless against a whole API. What runs Triggers is played by the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronJobTriggerType, httpTriggerType } from '@fnlet/api/kubeless';
import { KubelessWorld } from './kubeless-world.ts';

const name = 'tick';
const key = { namespace: 'default', name };
const ready = {
  status: 'True',
  reason: 'Ready',
  message: 'Events are delivered to hello',
} as const;

function apply(world: KubelessWorld, spec: object): Promise<void> {
  return world.apply(cronJobTriggerType, { name }, { 'function-name': 'hello', ...spec });
}

test('a CronJobTrigger has a Trigger, and shows what becomes of it', async () => {
  await using world = await KubelessWorld.start();
  await world.createFunction('hello');
  await apply(world, { schedule: '*/5 * * * *', payload: { a: 1 } });
  const { metadata, spec } = await world.triggers.get({ ...key, name: 'tick.cronjob' });
  assert.equal(metadata.ownerReferences?.[0]?.kind, 'CronJobTrigger');
  assert.deepEqual(spec.source.cron, {
    ...{ schedule: '*/5 * * * *', missed: 'once', concurrencyPolicy: 'Allow', data: { a: 1 } },
  });
  assert.deepEqual([spec.target, spec.delivery], [{ function: 'hello' }, { format: 'kubeless' }]);
  assert.deepEqual((await world.ready(cronJobTriggerType, name)).slice(0, 2), [
    ...['Unknown', 'Opening'],
  ]);
  const at = (minute: string): string => `2026-03-01T10:${minute}:00Z`;
  await world.play('tick.cronjob', ready, { nextFireTime: at('05'), failures: 0 });
  assert.deepEqual(await world.ready(cronJobTriggerType, name), [
    ...['True', 'Ready', 'Events are delivered to hello'],
  ]);
  const failing = { lastEventTime: at('05'), nextFireTime: at('10') };
  const lastFailure = 'Answered 500: boom';
  await world.play('tick.cronjob', ready, { ...failing, failures: 2, lastFailure });
  assert.deepEqual(await world.ready(cronJobTriggerType, name), [
    ...['False', 'CallFailed', 'Answered 500: boom'],
  ]);
  const well = { lastDeliveryTime: at('06'), failures: 0 };
  await world.play('tick.cronjob', ready, { ...failing, ...well });
  const { status } = (await world.of(key, cronJobTriggerType)) ?? {};
  assert.deepEqual(
    [status?.lastScheduleTime, status?.lastSuccessfulTime, status?.nextScheduleTime],
    [at('05'), at('06'), at('10')],
  );
  assert.equal((await world.ready(cronJobTriggerType, name))[0], 'True');
});

test('one name is that of a CronJobTrigger and of an HTTPTrigger', async () => {
  await using world = await KubelessWorld.start();
  await world.createFunction('hello');
  await apply(world, { schedule: '@hourly' });
  await world.apply(httpTriggerType, { name }, { 'function-name': 'hello' });
  assert.deepEqual(await world.names(), ['tick', 'tick.cronjob']);
});

test('a schedule that cannot be read is told', async () => {
  await using world = await KubelessWorld.start();
  await apply(world, { schedule: '61 * * * *' });
  const [status, reason, message] = await world.ready(cronJobTriggerType, name);
  assert.deepEqual([status, reason], ['False', 'InvalidSpec']);
  assert.match(message ?? '', /^schedule: found "61 \* \* \* \*": /);
  assert.deepEqual(await world.names(), []);
});

test('a CronJobTrigger goes with its function, and its Trigger with it', async () => {
  await using world = await KubelessWorld.start();
  await apply(world, { schedule: '@daily' });
  await world.createFunction('hello');
  // It belongs to the function from its next news on.
  await world.play('tick.cronjob', ready);
  await world.functions.delete({ namespace: 'default', name: 'hello' });
  await world.cluster.settle();
  assert.equal(await world.of(key, cronJobTriggerType), undefined);
  assert.deepEqual(await world.names(), []);
});
