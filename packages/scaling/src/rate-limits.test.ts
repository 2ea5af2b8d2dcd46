import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthLimit, recentChanges, type ScalingRules, shrinkLimit } from './rate-limits.ts';

const now = 1_800_000_000_000;
const rules: ScalingRules = {
  select: 'Max',
  stabilizationMs: 0,
  policies: [
    { type: 'Instances', value: 4, periodMs: 60_000 },
    { type: 'Percent', value: 10, periodMs: 60_000 },
  ],
};

// The example of Kubernetes' documentation ("Scaling policies"): 80 replicas may shrink by 8, then
// 72 by 7.2 and so on, and below 40 by 4.
for (const [current, fewest] of [
  [80, 72],
  [72, 64],
  [64, 57],
  [40, 36],
  [39, 35],
  [10, 6],
] as const) {
  test(`of ${current}, ${fewest} may be left after a minute`, () => {
    assert.equal(shrinkLimit({ rules, current, changes: [], now }), fewest);
  });
}

test('what was changed within the period counts', () => {
  const changes = [
    { atMs: now - 61_000, by: 30 },
    { atMs: now - 30_000, by: 3 },
  ];
  // There were 47 when the period began: 51 by the number, 52 by the percentage.
  assert.equal(growthLimit({ rules, current: 50, changes, now }), 52);
  assert.equal(shrinkLimit({ rules, current: 50, changes, now }), 42);
});

test('Min takes the policy that allows least, Disabled none, and no policy allows all', () => {
  const least: ScalingRules = { ...rules, select: 'Min' };
  assert.equal(shrinkLimit({ rules: least, current: 80, changes: [], now }), 76);
  assert.equal(growthLimit({ rules: least, current: 80, changes: [], now }), 84);
  const none: ScalingRules = { ...rules, select: 'Disabled' };
  assert.equal(shrinkLimit({ rules: none, current: 80, changes: [], now }), 80);
  assert.equal(growthLimit({ rules: none, current: 80, changes: [], now }), 80);
  const free: ScalingRules = { ...rules, policies: [] };
  assert.equal(shrinkLimit({ rules: free, current: 80, changes: [], now }), 0);
  assert.equal(growthLimit({ rules: free, current: 80, changes: [], now }), Infinity);
});

test('a limit never turns round the direction', () => {
  const changes = [{ atMs: now - 1000, by: 40 }];
  assert.equal(growthLimit({ rules, current: 50, changes, now }), 50);
  const fallen = [{ atMs: now - 1000, by: -40 }];
  assert.equal(shrinkLimit({ rules, current: 10, changes: fallen, now }), 10);
});

test('changes that no policy asks for are forgotten', () => {
  const changes = [
    { atMs: now - 60_000, by: 1 },
    { atMs: now - 59_999, by: 2 },
  ];
  assert.deepEqual(recentChanges(changes, [rules], now), changes.slice(1));
  assert.deepEqual(recentChanges(changes, [{ ...rules, policies: [] }], now), []);
});
