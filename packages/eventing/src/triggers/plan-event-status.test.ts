import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrigger } from '@fnlet/api';
import { planEventStatus } from './plan-event-status.ts';
import type { SourceStanding, TriggerState } from './trigger-run.ts';

function readyOf(source: Partial<SourceStanding>, more: Partial<TriggerState> = {}) {
  const trigger = parseTrigger({
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { name: 'orders', namespace: 'default', generation: 1 },
    spec: {
      source: { nats: { servers: ['nats://nats:4222'], subject: 'orders', from: 'newest' } },
      target: { function: 'hello' },
    },
  });
  const { conditions = [] } = planEventStatus({
    trigger,
    state: {
      source: { ...{ phase: 'running', trouble: undefined, lag: 0, nextMs: undefined }, ...source },
      delivery: {
        phase: 'running',
        trouble: undefined,
        circuit: 'closed',
        failures: 0,
        lastFailure: undefined,
      },
      ...{ pending: 0, deadLetters: 0, lastEventMs: undefined, lastDeliveryMs: undefined },
      ...more,
    },
    obstacle: undefined,
  });
  const ready = conditions.find(({ type }) => type === 'Ready');
  return [ready?.status, ready?.reason, ready?.message];
}

const steps: readonly (readonly [string, Partial<SourceStanding>, readonly string[]])[] = [
  ['begins', { phase: 'starting' }, ['Unknown', 'Starting', 'The source is being started']],
  ['runs', {}, ['True', 'Ready', 'Events are delivered to hello']],
  [
    'runs and has something to say',
    { trouble: 'The schedule is never due again' },
    ['True', 'Ready', 'Events are delivered to hello; The schedule is never due again'],
  ],
  ['has failed', { phase: 'failed', trouble: 'No server' }, ['False', 'SourceFailed', 'No server']],
  [
    'is started again after it has failed',
    { phase: 'starting', trouble: 'No server' },
    ['False', 'SourceFailed', 'No server'],
  ],
];

for (const [name, source, expected] of steps) {
  test(`planEventStatus() says whether a Trigger is ready whose source ${name}`, () => {
    assert.deepEqual(readyOf(source), expected);
  });
}
