import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decideFailure,
  decideSuccess,
  type Health,
  mayEjectOneMore,
  takesCalls,
  well,
} from './health.ts';

const limits = { failuresMax: 3, ejectMs: 1000, ejectMaxMs: 5000, refusedPauseMs: 200 };

function fail(
  health: Health,
  nowMs: number,
  how: { refused?: boolean; mayEject?: boolean } = {},
): Health {
  return decideFailure(health, { nowMs, refused: false, mayEject: true, ...how }, limits);
}

function failTimes(health: Health, times: number, nowMs: number): Health {
  return Array.from({ length: times }).reduce<Health>((before) => fail(before, nowMs), health);
}

test('failures in a row eject, others do not', () => {
  const two = failTimes(well, 2, 0);
  assert.ok(takesCalls(two, 9, 0));
  assert.equal(decideSuccess(two, 0, limits), well);
  const out = fail(two, 0);
  assert.equal(takesCalls(out, 0, 999), false);
});

test('after its time it gets one call at a time until one is answered', () => {
  const out = failTimes(well, 3, 0);
  assert.ok(takesCalls(out, 0, 1000));
  assert.equal(takesCalls(out, 1, 1000), false);
  assert.ok(takesCalls(decideSuccess(out, 1010, limits), 9, 1010));
});

test('one that fails on trial is out at once, for twice as long, up to a bound', () => {
  let health = failTimes(well, 3, 0);
  let nowMs = 0;
  for (const outMs of [1000, 2000, 4000, 5000, 5000]) {
    assert.equal(health.outUntilMs, nowMs + outMs);
    nowMs = health.outUntilMs;
    health = fail(health, nowMs);
  }
});

test('calls from before its ejection change nothing', () => {
  const out = failTimes(well, 3, 0);
  assert.equal(fail(out, 500), out);
  assert.equal(decideSuccess(out, 500, limits), out);
});

test('one that was well for long enough begins anew', () => {
  const out = failTimes(well, 3, 0);
  const back = decideSuccess(out, 1000, limits);
  assert.equal(failTimes(back, 3, 2000).outUntilMs, 2000 + 2000);
  assert.equal(failTimes(back, 3, 7000).outUntilMs, 7000 + 1000);
  assert.equal(decideSuccess(back, 7000, limits), well);
});

test('a refusal is a short pause, even of one that must not be ejected', () => {
  const refused = fail(well, 0, { refused: true, mayEject: false });
  assert.equal(takesCalls(refused, 0, 199), false);
  assert.ok(takesCalls(refused, 9, 200));
});

test('one that must not be ejected goes on, however often it fails', () => {
  const failing = Array.from({ length: 99 }).reduce<Health>(
    (before) => fail(before, 0, { mayEject: false }),
    well,
  );
  assert.ok(takesCalls(failing, 9, 0));
});

test('at most half of them are ejected, and the last one never', () => {
  const most = [0, 1, 2, 3, 4, 5, 6, 7].map((instances) => {
    let ejected = 0;
    while (mayEjectOneMore(instances, ejected)) ejected++;
    return ejected;
  });
  assert.deepEqual(most, [0, 0, 1, 1, 2, 2, 3, 3]);
});

test('whatever happens, it is called again after the longest ejection, and answers make it well', () => {
  const event = fc.record({
    afterMs: fc.nat(3000),
    what: fc.constantFrom('answered', 'failed', 'refused'),
    mayEject: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let health = well;
      let nowMs = 0;
      for (const { afterMs, what, mayEject } of events) {
        nowMs += afterMs;
        health =
          what === 'answered'
            ? decideSuccess(health, nowMs, limits)
            : fail(health, nowMs, { refused: what === 'refused', mayEject });
        assert.ok(health.outUntilMs <= nowMs + limits.ejectMaxMs);
        assert.ok(health.failures < limits.failuresMax || !mayEject);
      }
      const laterMs = nowMs + limits.ejectMaxMs;
      assert.ok(takesCalls(health, 0, laterMs));
      const answered = decideSuccess(health, laterMs, limits);
      assert.ok(takesCalls(answered, 9, laterMs));
      assert.equal(decideSuccess(answered, laterMs + limits.ejectMaxMs, limits), well);
    }),
  );
});
