import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planMove, planPlacement, type Sharer } from './plan-share.ts';

function sharer(owned: number, inFlight: number, queued: number): Sharer {
  return { owned, inFlight, queued };
}

test('planPlacement() prefers who waits, then who has least', () => {
  assert.equal(planPlacement([]), undefined);
  assert.equal(planPlacement([sharer(1, 0, 0), sharer(0, 0, 0)]), 1);
  assert.equal(planPlacement([sharer(1, 0, 3), sharer(0, 0, 0)]), 0);
});

test('planPlacement() prefers the zone of the Instance, as far as others do not fall behind', () => {
  const near = (owned: number, queued = 0): Sharer => ({
    ...sharer(owned, 0, queued),
    isNear: true,
  });
  const far = (owned: number, queued = 0): Sharer => ({ ...near(owned, queued), isNear: false });
  assert.equal(planPlacement([far(0), near(0)]), 1);
  assert.equal(planPlacement([far(0), near(1)]), 1);
  assert.equal(planPlacement([far(0), near(2)]), 0);
  assert.equal(planPlacement([far(1), near(1)]), 1);
  assert.equal(planPlacement([far(3, 1), near(0)]), 0, 'who waits goes first');
  assert.equal(planPlacement([far(0), far(0)]), 0, 'nobody is near');
});

test('planMove() leaves all as it is while nobody waits, or who waits has room', () => {
  assert.equal(planMove([sharer(1, 1, 0), sharer(0, 0, 0)], 1), undefined);
  assert.equal(planMove([sharer(1, 0, 1), sharer(1, 0, 0)], 1), undefined);
});

test('planMove() takes what is idle first', () => {
  const sharers = [sharer(3, 3, 0), sharer(1, 0, 0), sharer(0, 0, 1)];
  assert.deepEqual(planMove(sharers, 1), { from: 1, to: 2 });
});

test('planMove() shares what all want', () => {
  assert.deepEqual(planMove([sharer(1, 1, 5), sharer(0, 0, 1)], 1), { from: 0, to: 1 });
  assert.deepEqual(planMove([sharer(3, 3, 5), sharer(1, 1, 5)], 1), { from: 0, to: 1 });
  assert.equal(planMove([sharer(2, 2, 5), sharer(1, 1, 5)], 1), undefined);
});
