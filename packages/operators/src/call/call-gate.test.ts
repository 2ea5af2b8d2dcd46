import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FnletError, VirtualClock } from '@fnlet/base';
import { CallGate } from './call-gate.ts';

/** 0: it was let pass; otherwise when to come again. */
function tried(gate: CallGate, who: string, isFurther = false): number {
  try {
    gate.pass({ who, isFurther });
    return 0;
  } catch (error) {
    assert.ok(error instanceof FnletError && typeof error.retry === 'object', String(error));
    return error.retry.afterMs;
  }
}

test('without a rate everybody passes', () => {
  const gate = new CallGate({ clock: new VirtualClock(), rate: undefined });
  for (let call = 0; call < 1000; call++) assert.equal(tried(gate, 'a'), 0);
});

test('a burst passes at once, the others one by one, each at its turn', async () => {
  const clock = new VirtualClock();
  const gate = new CallGate({ clock, rate: { perSecond: 10, burst: 3 } });
  const waits = ['a', 'b', 'c', 'd', 'e'].map((who) => tried(gate, who));
  assert.deepEqual(waits, [0, 0, 0, 100, 200]);
  await clock.advance(100);
  assert.equal(tried(gate, 'e'), 100);
  assert.equal(tried(gate, 'd'), 0);
});

test('whoever comes again and again has one turn, and takes nobody else from theirs', async () => {
  const clock = new VirtualClock();
  const gate = new CallGate({ clock, rate: { perSecond: 1, burst: 1 } });
  assert.equal(tried(gate, 'busy'), 0);
  for (let passedMs = 0; passedMs < 1000; passedMs += 10) {
    assert.equal(tried(gate, 'busy'), 1000 - passedMs);
    await clock.advance(10);
  }
  assert.equal(tried(gate, 'other'), 1000);
  assert.equal(tried(gate, 'busy'), 0);
  assert.equal(tried(gate, 'busy'), 2000);
  await clock.advance(1000);
  assert.equal(tried(gate, 'other'), 0);
});

test('further calls of what has begun pass, and are counted', () => {
  const gate = new CallGate({ clock: new VirtualClock(), rate: { perSecond: 1, burst: 1 } });
  assert.equal(tried(gate, 'a'), 0);
  assert.equal(tried(gate, 'a', true), 0);
  assert.equal(tried(gate, 'a', true), 0);
  assert.equal(tried(gate, 'b'), 3000);
});

test('a busy function is called by nobody, and afterwards not by all at once', async () => {
  const clock = new VirtualClock();
  const gate = new CallGate({ clock, rate: { perSecond: 10, burst: 2 } });
  for (const who of ['a', 'b', 'c', 'd', 'e', 'f']) tried(gate, who);
  gate.close(5000);
  assert.equal(tried(gate, 'g', true), 5000);
  await clock.advance(5000);
  const waits = ['c', 'd', 'e', 'f'].map((who) => tried(gate, who));
  assert.deepEqual(waits, [0, 0, 100, 200]);
});

test('while the function does not serve nobody passes, and then all that may', () => {
  const gate = new CallGate({ clock: new VirtualClock(), rate: undefined });
  gate.suspend();
  assert.equal(tried(gate, 'a'), 5000);
  assert.equal(tried(gate, 'a', true), 5000);
  gate.resume();
  assert.equal(tried(gate, 'a'), 0);
});

test('in the long run the rate is kept to, and nearly reached', async () => {
  const clock = new VirtualClock();
  const gate = new CallGate({ clock, rate: { perSecond: 7, burst: 5 } });
  const dueMs = new Map(Array.from({ length: 40 }, (_, index) => [`k${index}`, 0]));
  let passed = 0;
  for (let nowMs = 0; nowMs < 60_000; nowMs += 5) {
    for (const [who, due] of dueMs) {
      if (due > nowMs) continue;
      const waitMs = tried(gate, who);
      if (waitMs === 0) passed += 1;
      dueMs.set(who, nowMs + waitMs);
    }
    await clock.advance(5);
  }
  assert.ok(passed <= 7 * 60 + 5 && passed > 7 * 60 - 7, `${passed} calls`);
});
