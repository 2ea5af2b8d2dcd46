import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRolloutHappening, planSourceHappening } from './plan-happening.ts';
import type { RolloutState } from './rollout-state.ts';

const base = { revision: 'hello-1', generation: 1, attempt: 1, startedAtMs: 0 };

function preparing(progress: string | undefined): RolloutState {
  return { ...base, phase: 'preparing', progress };
}

test('an installation is told when it begins and when it is over, and fetching is none', () => {
  const starting: RolloutState = { ...base, phase: 'starting' };
  const steps: readonly RolloutState[] = [
    preparing(undefined),
    preparing('Fetching the source: Receiving objects: 10%'),
    preparing('Fetching Node.js 22'),
    preparing('Installing dependencies'),
    preparing('http fetch GET 200'),
    starting,
  ];
  const told = steps
    .slice(1)
    .map((after, i) => planRolloutHappening({ before: steps[i] ?? after, after })?.reason);
  assert.deepEqual(told, [undefined, undefined, 'Installing', undefined, 'Installed']);
  const fetched = planRolloutHappening({
    before: preparing('Fetching the source: x'),
    after: starting,
  });
  assert.equal(fetched, undefined);
});

test('a source is told when it is another one, and when nobody can be asked', () => {
  const first = { commit: '1'.repeat(40) };
  const second = { commit: '2'.repeat(40) };
  const say = (before: object | undefined, after: object): string | undefined =>
    planSourceHappening({ before, after, trouble: undefined })?.message;
  assert.equal(say(undefined, first), `Found commit ${first.commit}`);
  assert.match(say(first, second) ?? '', / in place of commit 1/);
  assert.equal(say(first, { ...first, fetchedAt: 'x' }), undefined);
  assert.equal(say(undefined, { digest: 'ab' }), 'Found archive sha256:ab');
  const trouble = { reason: 'SourceUnreachable', message: 'away' } as const;
  const happening = planSourceHappening({ before: first, after: first, trouble });
  assert.deepEqual(happening, { type: 'Warning', ...trouble });
});
