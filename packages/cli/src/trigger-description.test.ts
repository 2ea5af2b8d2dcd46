import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrigger } from '@fnlet/api';
import { formatTriggerDescription } from './trigger-description.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);

function describe(parts: object): string {
  const metadata = { name: 'nightly', namespace: 'shop' };
  const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger', metadata, ...parts };
  return formatTriggerDescription({ trigger: parseTrigger(object), events: [], nowMs });
}

const cron = { schedule: '@daily', missed: 'once', concurrencyPolicy: 'Allow' };
const spec = { source: { cron }, target: { function: 'report' } };

test('formatTriggerDescription() tells how it is, what waits and what comes next', () => {
  const message = 'There is no Function report';
  const text = describe({
    spec: { ...spec, delivery: { retry: 2 } },
    status: {
      ...{
        lag: 3,
        failures: 4,
        lastFailure: 'Answered 500',
        deadLetters: 2,
        nextFireTime: '2026-01-02T00:00:00Z',
      },
      conditions: [{ type: 'Ready', status: 'False', reason: 'FunctionNotFound', message }],
    },
  });
  for (const line of [
    'Ready:         False (FunctionNotFound): There is no Function report',
    'Source:        cron {"schedule":"@daily","missed":"once","concurrencyPolicy":"Allow"}',
    'Target:        report',
    'Delivery:      {"retry":2}',
    'Next event:    2026-01-02T00:00:00Z',
    'Waiting:       3',
    'Failures:      4 in a row; the last: Answered 500',
    'Dead letters:  2, see fnlet events dead ls nightly',
    'Events: none',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
  }
  assert.match(text, /Conditions:\n {2}TYPE +STATUS +REASON/);
});

test('formatTriggerDescription() leaves out what there is nothing to say about', () => {
  const text = describe({ spec });
  assert.match(text, /^Ready: +Unknown$/m);
  assert.doesNotMatch(text, /Delivery|Paused|Failures|URL|Next event|Conditions/);
});
