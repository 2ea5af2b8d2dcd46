import assert from 'node:assert/strict';
import { it } from 'node:test';
import { planInstances } from './instance-plan.ts';

const active = [
  { id: 'oldest', phase: 'ready' },
  { id: 'crashing', phase: 'backingOff' },
  { id: 'younger', phase: 'ready' },
  { id: 'new', phase: 'starting' },
  { id: 'newest', phase: 'starting' },
] as const;

it('planInstances() starts what is missing', () => {
  assert.deepEqual(planInstances(active, 7), { start: 2, drain: [] });
  assert.deepEqual(planInstances(active, 5), { start: 0, drain: [] });
});

it('planInstances() drains what serves nobody first, then the youngest', () => {
  const order = ['crashing', 'newest', 'new', 'younger', 'oldest'];
  for (const wanted of [4, 3, 2, 1, 0]) {
    const drain = order.slice(0, 5 - wanted);
    assert.deepEqual(planInstances(active, wanted), { start: 0, drain });
  }
});
