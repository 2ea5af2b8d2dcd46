import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRollout, type RolloutPlan } from './plan-rollout.ts';
import type { RolloutState } from './rollout-state.ts';

const startedAtMs = 1_000_000;

const preparing: RolloutState = {
  phase: 'preparing',
  revision: 'b',
  generation: 1,
  attempt: 1,
  startedAtMs,
  progress: undefined,
};

function failed(retryAtMs: number | undefined): RolloutState {
  const failure = { step: 'load', reason: 'LoadFailed', message: '', backoff: undefined } as const;
  const common = { revision: 'b', generation: 1, attempt: 2, startedAtMs };
  return { phase: 'failed', ...common, failure, retryAtMs };
}

type Situation = Partial<Parameters<typeof planRollout>[0]>;

const cases: readonly [string, Situation, RolloutPlan][] = [
  ['starts what was never tried', {}, { kind: 'start', attempt: 1 }],
  ['is settled when it was ready', { isSettled: true }, { kind: 'settled' }],
  [
    'starts anew when the object of what serves is gone',
    { isSettled: true, isLost: true },
    { kind: 'start', attempt: 1 },
  ],
  [
    'is settled after going back, whatever was being tried',
    { wanted: 'a', isSettled: true, rollout: preparing },
    { kind: 'settled' },
  ],
  ['supersedes an older try', { wanted: 'c', rollout: preparing }, { kind: 'start', attempt: 1 }],
  [
    'looks again soon while it is quick',
    { rollout: preparing, now: startedAtMs + 10 },
    { kind: 'wait', untilMs: startedAtMs + 100 },
  ],
  [
    'waits for news when it is slow',
    { rollout: preparing, now: startedAtMs + 100 },
    { kind: 'wait', untilMs: undefined },
  ],
  [
    'waits until a failed one is due',
    { rollout: failed(startedAtMs + 500), now: startedAtMs + 499 },
    { kind: 'wait', untilMs: startedAtMs + 500 },
  ],
  [
    'tries a failed one again when it is due',
    { rollout: failed(startedAtMs + 500), now: startedAtMs + 500 },
    { kind: 'start', attempt: 3 },
  ],
  [
    'tries a failed one again at once after an edit that leaves the code as it was',
    { rollout: failed(undefined), generation: 2 },
    { kind: 'start', attempt: 1 },
  ],
  [
    'tries a failed one again at once when its packages are come by in another way',
    { rollout: failed(undefined), isReconfigured: true },
    { kind: 'start', attempt: 1 },
  ],
  [
    'lets one go on that is on its way, whatever else is edited',
    { rollout: preparing, generation: 2, isReconfigured: true, now: startedAtMs + 100 },
    { kind: 'wait', untilMs: undefined },
  ],
  [
    'never tries again what only a change can help',
    { rollout: failed(undefined), now: startedAtMs * 1000 },
    { kind: 'wait', untilMs: undefined },
  ],
];

for (const [title, situation, expected] of cases) {
  test(`planRollout() ${title}`, () => {
    const plan = planRollout({
      wanted: 'b',
      isSettled: false,
      generation: 1,
      isReconfigured: false,
      isLost: false,
      rollout: undefined,
      now: startedAtMs,
      ...situation,
    });
    assert.deepEqual(plan, expected);
  });
}
