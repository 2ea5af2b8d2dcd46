import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type DemandHistory,
  emptyHistory,
  formatHistory,
  learn,
  parseHistory,
  predict,
  slotMs,
  slotsMax,
} from './prediction.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Monday, 00:00 UTC. */
const monday = Date.UTC(2026, 0, 5);

/** What so many days taught that needed this at each hour; nights without demand are not heard of. */
function days(count: number, needAt: (day: number, hour: number) => number): DemandHistory {
  let history = emptyHistory;
  for (let day = 0; day < count; day++) {
    for (let hour = 0; hour < 24; hour++) {
      const need = needAt(day, hour);
      for (let quarter = 0; quarter < 4; quarter++) {
        const atMs = monday + day * dayMs + hour * hourMs + quarter * slotMs;
        if (need > 0) history = learn(history, { atMs, need });
      }
    }
  }
  return history;
}

const office = (day: number, hour: number): number =>
  day % 7 < 5 && hour >= 9 && hour < 17 ? 4 : 0;

test('nothing is predicted from one day', () => {
  const history = days(1, office);
  assert.deepEqual(predict(history, monday + dayMs + 10 * hourMs, 0).floor, undefined);
});

test('what the last days needed is predicted while no two weeks are known', () => {
  const history = days(3, office);
  const { floor } = predict(history, monday + 3 * dayMs + 10 * hourMs, 0);
  assert.deepEqual(floor, { min: 4, reason: 'predicted: 4 as on the last 3 days at 10:00 UTC' });
});

test('weekends are not taken for working days once one was seen', () => {
  const history = days(11, office);
  assert.equal(predict(history, monday + 12 * dayMs + 10 * hourMs, 0).floor, undefined);
  assert.equal(predict(history, monday + 11 * dayMs + 10 * hourMs, 0).floor?.min, 4);
});

test('two weeks predict by the weekday, and one flash crowd of three is no habit', () => {
  const history = days(21, (day, hour) => (day === 14 ? 80 : office(day, hour)));
  const { floor } = predict(history, monday + 21 * dayMs + 9 * hourMs, 0);
  assert.deepEqual(floor, {
    min: 4,
    reason: 'predicted: 4 as on the last 3 Mondays at 09:00 UTC',
  });
});

test('a need is met ahead, and the prediction says when it changes', () => {
  const history = days(21, office);
  const next = monday + 21 * dayMs;
  const aheadMs = 300_000;
  const night = predict(history, next, aheadMs);
  assert.deepEqual(night, { floor: undefined, untilMs: next + 9 * hourMs - aheadMs });
  const early = predict(history, next + 9 * hourMs - aheadMs, aheadMs);
  assert.equal(early.floor?.min, 4);
  assert.equal(early.untilMs, next + 17 * hourMs);
  assert.equal(predict(history, next + 17 * hourMs, aheadMs).floor, undefined);
});

test('what is never heard of again is forgotten within three weeks', () => {
  const history = days(21, office);
  const later = learn(history, { atMs: monday + 42 * dayMs, need: 0 });
  assert.equal(predict(later, monday + 42 * dayMs + 10 * hourMs, 0).floor, undefined);
});

test('a clock that is set back for a moment teaches nothing', () => {
  const history = days(2, office);
  let later = history;
  for (let passedMs = 0; passedMs < hourMs; passedMs += 60_000) {
    later = learn(later, { atMs: monday + passedMs, need: 99 });
  }
  const { lastSlot, needs, openNeed } = later;
  assert.deepEqual({ lastSlot, needs, openNeed }, history);
  const atMs = monday + 3 * dayMs;
  assert.deepEqual(learn(later, { atMs, need: 1 }), learn(history, { atMs, need: 1 }));
});

test('after a clock that was ahead what was known before goes on', () => {
  const history = days(2, office);
  const now = monday + 2 * dayMs;
  // A week ahead for a minute, and back: the day goes on as if nothing had been.
  let later = learn(history, { atMs: now + 7 * dayMs, need: 50 });
  for (let passedMs = 0; passedMs < 9 * hourMs; passedMs += slotMs) {
    later = learn(later, { atMs: now + passedMs, need: 0 });
  }
  later = learn(later, { atMs: now + 9 * hourMs, need: 4 });
  assert.deepEqual(
    { from: later.needs.slice(0, history.needs.length), openNeed: later.openNeed },
    { from: history.needs, openNeed: 4 },
  );
  const { floor } = predict(later, now + dayMs + 10 * hourMs, 0);
  assert.equal(floor?.reason, 'predicted: 4 as on the last 3 days at 10:00 UTC');
});

test('a clock that was years ahead is no reason never to learn again', () => {
  let history = learn(days(2, office), { atMs: Date.UTC(2099, 0, 1), need: 50 });
  history = parseHistory(formatHistory(history)) ?? history;
  for (let day = 2; day < 5; day++) {
    for (let hour = 0; hour < 24; hour++) {
      const atMs = monday + day * dayMs + hour * hourMs;
      history = learn(history, { atMs, need: office(day, hour) });
    }
  }
  assert.equal(predict(history, monday + 5 * dayMs + 10 * hourMs, 0).floor?.min, 4);
});

test('a history is bounded, and the same after it was written and read', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 * dayMs }), fc.nat(1000)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(steps, (list) => {
      let history = emptyHistory;
      let atMs = monday;
      for (const [stepMs, need] of list) {
        atMs += stepMs;
        history = learn(history, { atMs, need });
        assert.ok(history.needs.length <= slotsMax);
      }
      const { lastSlot, needs } = history;
      const expected = { lastSlot, needs, openNeed: undefined };
      assert.deepEqual(parseHistory(formatHistory(history)), expected);
    }),
  );
});

test('a usual history is short as a text', () => {
  assert.ok(formatHistory(days(40, office)).length < 200);
  const busy = days(40, (day, hour) => ((day * 31 + hour * 17) % 90) + 1);
  assert.ok(formatHistory(busy).length < 4000);
});

for (const text of ['', 'x', '1 2x9999', '1 two', '1 -1', `1 1x${slotsMax} 1`]) {
  test(`"${text.slice(0, 20)}" is no history`, () => {
    assert.equal(parseHistory(text), undefined);
  });
}
