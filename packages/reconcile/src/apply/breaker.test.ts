import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterEffectiveWrite, type BreakerState, openUntilMs } from './breaker.ts';
import { breakerDefaults as options } from './limits.ts';

/** The state after effective writes at these times. */
function after(
  timesMs: readonly number[],
  { isRewrite = true, cause = '1', from = undefined as BreakerState | undefined } = {},
): BreakerState | undefined {
  return timesMs.reduce<BreakerState | undefined>(
    (state, atMs) => afterEffectiveWrite(state, { cause, atMs, isRewrite }, options),
    from,
  );
}

function times(count: number, stepMs: number): number[] {
  return Array.from({ length: count }, (_, index) => index * stepMs);
}

test('ten rewrites in a minute open it, after the one that was asked for', () => {
  assert.equal(openUntilMs(after(times(10, 100)), { cause: '1', nowMs: 1000 }), undefined);
  assert.equal(openUntilMs(after(times(11, 100)), { cause: '1', nowMs: 1000 }), 61_000);
});

test('rewrites that are spread over minutes never open it', () => {
  const state = after(times(1000, 7000));
  assert.equal(openUntilMs(state, { cause: '1', nowMs: 7_000_000 }), undefined);
});

test('a changing wish opens it only past one change a second', () => {
  const slow = after(times(500, 1100), { isRewrite: false });
  assert.equal(slow?.open, undefined);
  assert.ok(after(times(61, 100), { isRewrite: false })?.open);
});

test('something new that is asked of the primary closes it', () => {
  const open = after(times(11, 0));
  assert.ok(openUntilMs(open, { cause: '1', nowMs: 0 }));
  assert.equal(openUntilMs(open, { cause: '2', nowMs: 0 }), undefined);
  assert.equal(after([5], { cause: '2', from: open })?.open, undefined);
});

test('after a pause one probe goes through; each that meets the rival doubles the pause', () => {
  const pauses: number[] = [];
  let state = after(times(11, 0));
  let nowMs = 0;
  for (let probe = 0; probe < 6; probe++) {
    const untilMs = openUntilMs(state, { cause: '1', nowMs });
    assert.ok(untilMs !== undefined);
    pauses.push(untilMs - nowMs);
    nowMs = untilMs;
    assert.equal(openUntilMs(state, { cause: '1', nowMs }), undefined);
    state = after([nowMs], { from: state });
  }
  assert.deepEqual(pauses, [60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
});

test('a window of peace after a pause ends the fight', () => {
  const state = after([120_000], { from: after(times(11, 0)) });
  assert.equal(state?.open, undefined);
});
