import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Condition, findCondition, mergeConditions } from './condition.ts';

const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'];
const ready: Condition = { type: 'Ready', status: 'False', reason: 'A', lastTransitionTime: early };

describe('mergeConditions()', () => {
  test('keeps the transition time while the status stays', () => {
    const update = { type: 'Ready', status: 'False', reason: 'B', message: 'm' } as const;
    assert.deepEqual(mergeConditions([ready], [update], late), [
      { ...update, lastTransitionTime: early },
    ]);
  });

  test('moves the transition time with the status', () => {
    const update = { type: 'Ready', status: 'True' } as const;
    assert.deepEqual(mergeConditions([ready], [update], late), [
      { ...update, lastTransitionTime: late },
    ]);
  });

  test('leaves other types alone and appends new ones', () => {
    const update = { type: 'Synced', status: 'Unknown' } as const;
    assert.deepEqual(mergeConditions([ready], [update], late), [
      ready,
      { ...update, lastTransitionTime: late },
    ]);
  });
});

test('findCondition() finds by type, and nothing in nothing', () => {
  assert.equal(findCondition([ready], 'Ready'), ready);
  assert.equal(findCondition([ready], 'Synced'), undefined);
  assert.equal(findCondition(undefined, 'Ready'), undefined);
});
