// Triggers that wake objects of Operators, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespace, World } from './world.ts';

const target = { operator: 'repositories', object: 'event.data.repository.name' };

function every5(more: object = {}, spec: object = {}): object {
  const data = { repository: { name: 'web' }, ...more };
  return { source: { cron: { schedule: '*/5 * * * *', data } }, target, ...spec };
}

const minute = 60_000;

test('an event wakes the object of an Operator that it is about, and says who asks', async () => {
  await using world = await World.start();
  await world.addOperator('repositories');
  await world.applySpec('pushes', every5());
  assert.equal((await world.ready('pushes'))?.reason, 'Ready');
  await world.pass(6 * minute);
  const [woken, ...others] = world.woken;
  assert.deepEqual(others, []);
  assert.equal(woken?.operator, `${namespace}/repositories`);
  assert.equal(woken?.object, `${namespace}/web`);
  assert.match(woken?.by ?? '', /^Trigger default\/pushes \(dev\.fnlet\.cron .+\)$/);
  const status = await world.status('pushes');
  assert.deepEqual([status.target, status.lag], ['operator/repositories', 0]);
});

for (const [object, woken] of [
  ['[event.data.repository.name, "other"]', ['default/web', 'default/other']],
  ['{"name": "a", "namespace": "b"}', ['b/a']],
  ['event.type == "dev.fnlet.cron" ? null : "a"', []],
  ['event.source.split("/")[7]', ['default/pushes']],
] as const) {
  test(`an event is about ${object}`, async () => {
    await using world = await World.start();
    await world.addOperator('repositories');
    await world.applySpec('pushes', { ...every5(), target: { ...target, object } });
    await world.pass(6 * minute);
    assert.deepEqual(
      world.woken.map((one) => one.object),
      woken,
    );
    assert.equal((await world.status('pushes')).lag, 0);
  });
}

test('events wait for an Operator that is not there, and for one that does not run', async () => {
  await using world = await World.start();
  await world.applySpec('pushes', every5());
  assert.equal((await world.ready('pushes'))?.reason, 'OperatorNotFound');
  await world.pass(6 * minute);
  assert.equal((await world.status('pushes')).lag, 1);
  world.wakeOutcome = 'notRunning';
  await world.addOperator('repositories');
  await world.pass(10_000);
  const { lag, lastFailure = '' } = await world.status('pushes');
  assert.equal(lag, 1);
  assert.match(lastFailure, /Cannot wake Operator "default\/repositories": it does not run/);
  world.wakeOutcome = 'noted';
  await world.pass(minute);
  assert.equal((await world.status('pushes')).lag, 0);
  assert.equal(world.woken.length, 1);
});

test('an event of which nobody can tell whom it concerns is a dead letter that says why', async () => {
  await using world = await World.start();
  await world.addOperator('repositories');
  await world.applySpec('pushes', { ...every5(), target: { ...target, object: 'event.data.no' } });
  await world.pass(6 * minute);
  const { deadLetters, lastFailure = '' } = await world.status('pushes');
  assert.equal(deadLetters, 1);
  assert.match(lastFailure, /Cannot tell by "event.data.no" whom the event concerns/);
});

test('an expression that is none is told, and what is wrong together is refused', async () => {
  await using world = await World.start();
  await world.addOperator('repositories');
  await world.applySpec('pushes', { ...every5(), target: { ...target, object: 'event.' } });
  const ready = await world.ready('pushes');
  assert.equal(ready?.reason, 'InvalidSpec');
  assert.match(ready?.message ?? '', /^Cannot use object "event\."/);
  const alone = { ...every5(), target: { operator: 'repositories' } };
  await assert.rejects(world.applySpec('alone', alone), /operator and object go together/);
  const answering = { source: { http: { paths: [{ exact: '/in' }] } }, target };
  await assert.rejects(world.applySpec('answering', answering), /http needs target.function/);
});
