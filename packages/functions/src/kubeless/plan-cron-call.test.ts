import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CronJobTriggerObject } from '@fnlet/api/kubeless';
import { openCronSchedule, parseCronRule } from '@fnlet/machinery/cron';
import { type CronPlan, planCronCall, planTriggerCall } from './plan-cron-call.ts';

const at = (text: string): number => Date.parse(`2026-03-01T${text}Z`);

function plan(since: string, now: string, rule = '*/5 * * * *'): CronPlan {
  const parsed = parseCronRule(rule);
  assert.ok(parsed.kind === 'valid');
  const schedule = openCronSchedule(parsed.rule, 'UTC');
  return planCronCall({ schedule, sinceMs: at(since), nowMs: at(now) });
}

test('planCronCall() waits for the next time', () => {
  assert.deepEqual(plan('10:01:00', '10:03:00'), { kind: 'wait', nextMs: at('10:05:00') });
});

test('planCronCall() calls when the time has come', () => {
  const due = { kind: 'call', scheduledMs: at('10:05:00'), nextMs: at('10:10:00') };
  assert.deepEqual(plan('10:00:00', '10:05:00'), due);
});

test('planCronCall() calls once for all times that were missed', () => {
  const due = { kind: 'call', scheduledMs: at('10:55:00'), nextMs: at('11:00:00') };
  assert.deepEqual(plan('10:00:00', '10:59:00'), due);
});

test('planCronCall() does not count what was missed for long', () => {
  const missed = plan('00:00:00', '23:59:00', '* * * * *');
  assert.equal(missed.nextMs, Date.parse('2026-03-02T00:00:00Z'));
});

function trigger(payload?: unknown): CronJobTriggerObject {
  return {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'CronJobTrigger',
    metadata: { name: 'tick', namespace: 'default', uid: 'u' },
    spec: {
      schedule: '* * * * *',
      'function-name': 'hello',
      ...(payload === undefined ? {} : { payload }),
    },
  };
}

test('planTriggerCall() gets without a payload and posts one as JSON', () => {
  const scheduledMs = at('10:05:00');
  const call = planTriggerCall(trigger(), scheduledMs);
  assert.deepEqual([call.method, call.body], ['GET', undefined]);
  assert.equal(planTriggerCall(trigger(null), scheduledMs).method, 'GET');
  const posted = planTriggerCall(trigger({ quote: "it's" }), scheduledMs);
  assert.deepEqual([posted.method, posted.body], ['POST', '{"quote":"it\'s"}']);
  assert.equal(planTriggerCall(trigger(false), scheduledMs).body, 'false');
});

test('planTriggerCall() gives the headers that functions of Kubeless read', () => {
  const { headers } = planTriggerCall(trigger(), at('10:05:00'));
  assert.equal(headers['event-time'], '2026-03-01 10:05:00+00:00');
  assert.equal(headers['event-namespace'], 'cronjobtrigger.kubeless.io');
  assert.equal(planTriggerCall(trigger(), at('10:05:00')).headers['event-id'], headers['event-id']);
  assert.notEqual(
    planTriggerCall(trigger(), at('10:10:00')).headers['event-id'],
    headers['event-id'],
  );
});
