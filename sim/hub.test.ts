import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveThroughRounds } from './hub/hub-rounds.ts';

test('three replicas of a hub, of which one dies in every round, miss nothing', async () => {
  const rounds = Number(process.env.ROUNDS ?? 6);
  const first = Number(process.env.SEED ?? 1);
  for (const seed of [first, first + 1, first + 2]) {
    const { problems, runs } = await liveThroughRounds(seed, rounds);
    assert.deepEqual(problems, [], `SEED=${seed} ROUNDS=${rounds} node --test sim/hub.test.ts`);
    assert.ok(runs > rounds);
  }
});

test('replicas that do not share the keys are found out', async () => {
  const { problems } = await liveThroughRounds(1, 3, false);
  assert.match(problems.join(), /was run while another one ran it/);
});
