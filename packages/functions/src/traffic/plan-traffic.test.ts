import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrafficTarget } from '@fnlet/api';
import fc from 'fast-check';
import { planTraffic, type TrafficPlan } from './plan-traffic.ts';
import { describeShares } from './share.ts';

const timeout = '30s';
const existing = new Set(['old', 'new', 'older']);

function plan(
  traffic: readonly TrafficTarget[] | undefined,
  change: Partial<Parameters<typeof planTraffic>[0]> = {},
): TrafficPlan {
  return planTraffic({
    spec: traffic === undefined ? {} : { traffic },
    latest: { name: 'old', timeout },
    canary: undefined,
    find: (name) => (existing.has(name) ? { name, timeout } : undefined),
    ...change,
  });
}

function text(found: TrafficPlan): string {
  return found.kind === 'shares' ? describeShares(found.shares) : JSON.stringify(found);
}

const canary = { revision: { name: 'new', timeout }, percent: 10 };
const latest = { latest: true, percent: 100 } as const;

const cases: readonly [string, TrafficPlan, string][] = [
  ['all to the newest', plan(undefined), '100 % to old'],
  ['nothing is ready', plan(undefined, { latest: undefined }), '{"kind":"unready"}'],
  [
    'two by name, one by its tag alone',
    plan([
      { revision: 'older', percent: 30, tag: 'a' },
      { revision: 'new', percent: 70 },
      { latest: true, percent: 0, tag: 'next' },
    ]),
    '30 % to older (a), 70 % to new, 0 % to old (next)',
  ],
  [
    'a name that is not there',
    plan([{ revision: 'gone', percent: 100 }]),
    '{"kind":"lost","revision":"gone"}',
  ],
  ['a canary', plan(undefined, { canary }), '90 % to old, 10 % to new'],
  [
    'a canary of a part',
    plan(
      [
        { latest: true, percent: 50, tag: 'x' },
        { revision: 'older', percent: 50 },
      ],
      { canary },
    ),
    '45 % to old (x), 5 % to new, 50 % to older',
  ],
  [
    'a canary of hardly anything',
    plan(
      [
        { latest: true, percent: 1 },
        { revision: 'older', percent: 99 },
      ],
      { canary },
    ),
    '0 % to old, 1 % to new, 99 % to older',
  ],
  [
    'a canary while calls go elsewhere',
    plan(
      [
        { latest: true, percent: 0, tag: 'x' },
        { revision: 'older', percent: 100 },
      ],
      { canary },
    ),
    '0 % to old (x), 100 % to older',
  ],
  [
    'copies for a Revision that gets nothing else',
    plan([latest], { spec: { mirror: { revision: 'new', percent: 5, nonIdempotent: false } } }),
    '100 % to old, 0 % to new',
  ],
];

for (const [title, found, expected] of cases) {
  test(`planTraffic(): ${title}`, () => assert.equal(text(found), expected));
}

test('planTraffic() leaves nothing of a hundred out, whatever a canary takes', () => {
  const percents = fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 5 }).map((cuts) => {
    const sorted = [0, ...cuts.toSorted((a, b) => a - b), 100];
    return sorted.slice(1).map((cut, i) => cut - (sorted[i] ?? 0));
  });
  const property = fc.property(percents, fc.integer({ min: 1, max: 99 }), (parts, percent) => {
    const traffic = parts.map((part, i) =>
      i % 2 === 0 ? { latest: true, percent: part } : { revision: 'older', percent: part },
    );
    const found = plan(traffic, { canary: { ...canary, percent } });
    assert.ok(found.kind === 'shares');
    assert.equal(
      found.shares.reduce((sum, share) => sum + share.percent, 0),
      100,
    );
    assert.ok(found.shares.every((share) => share.percent >= 0));
  });
  fc.assert(property);
});
