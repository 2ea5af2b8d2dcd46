import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planTrim } from './plan-trim.ts';

const standing = { first: 10, firstBefore: 10, young: 50 };

test('planTrim() lets go what is old and what every Trigger is done with, and nothing else', () => {
  assert.equal(planTrim({ ...standing, consumers: [] }).before, 50);
  assert.equal(planTrim({ ...standing, consumers: [{ unsettled: 30 }] }).before, 30);
  const consumers = [{ unsettled: 70 }, { unsettled: 20 }];
  assert.equal(planTrim({ ...standing, consumers }).before, 20);
  assert.equal(planTrim({ ...standing, consumers: [{ unsettled: 5 }] }).before, 10);
});

test('planTrim() counts what went before a Trigger was done with it, each event once', () => {
  const lost = (firstBefore: number, ...unsettled: readonly number[]): number =>
    planTrim({
      ...{ first: 40, firstBefore, young: 40 },
      consumers: unsettled.map((each) => ({ unsettled: each })),
    }).lost;
  assert.equal(lost(10, 20, 45), 20);
  assert.equal(lost(30, 20), 10);
  assert.equal(lost(40, 20), 0);
  assert.equal(lost(10, 45), 0);
  assert.equal(lost(10), 0);
});

test('planTrim() never takes what a Trigger is not done with', () => {
  const place = fc.nat(100);
  fc.assert(
    fc.property(place, place, fc.array(place), (first, young, unsettled) => {
      const consumers = unsettled.map((each) => ({ unsettled: each }));
      const { before } = planTrim({ first, firstBefore: 0, young, consumers });
      for (const each of unsettled) assert.ok(before <= Math.max(first, each));
      assert.ok(before >= first);
    }),
  );
});
