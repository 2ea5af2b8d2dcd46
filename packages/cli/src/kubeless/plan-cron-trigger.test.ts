import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCronTrigger } from './plan-cron-trigger.ts';

const key = { name: 'tick', namespace: 'default' };
const wish = { function: 'hello', schedule: '*/5 * * * *' };

test('planCronTrigger() has a payload only where one is given', () => {
  const { metadata, spec } = planCronTrigger(key, wish);
  assert.deepEqual(metadata, { ...key, labels: { 'created-by': 'kubeless' } });
  assert.deepEqual(spec, { schedule: '*/5 * * * *', 'function-name': 'hello' });
  assert.deepEqual(planCronTrigger(key, { ...wish, payload: '{"a":1}' }).spec.payload, { a: 1 });
});

test('planCronTrigger() refuses what is no schedule, and what is no object', () => {
  const schedule = { ...wish, schedule: 'soon' };
  assert.throws(() => planCronTrigger(key, schedule), /^CliError: Invalid value for --schedule: /);
  for (const payload of ['[1]', '"a"', '{', '']) {
    assert.throws(() => planCronTrigger(key, { ...wish, payload }), /expected an object in JSON/);
  }
});
