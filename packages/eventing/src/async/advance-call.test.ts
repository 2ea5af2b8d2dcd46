import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { beginAttempt, cancelCall, endAttempt, recoverCall, redriveCall } from './advance-call.ts';
import { type CallPhase, type CallState, callPhases, firstState } from './call-state.ts';
import type { AttemptOutcome } from './decide-retry.ts';

const limits = { retryBaseMs: 1_000, retryCapMs: 300_000, retryAfterMaxMs: 3_600_000 };
const middle = { next: () => 0.5, uuid: () => '' };
const fresh = firstState({ acceptedMs: 0, lifetimeMs: 100_000 });
const context = { nowMs: 0, random: middle, limits, attemptsMax: 3 };

function state(overrides: Partial<CallState>): CallState {
  return { ...fresh, ...overrides };
}

function answer(status: number, retryAfter?: string): AttemptOutcome {
  const headers = retryAfter === undefined ? [] : ([['Retry-After', retryAfter]] as const);
  return { kind: 'answered', status, headers, body: new Uint8Array(), truncated: false };
}

function miss(retryAfterMs?: number): AttemptOutcome {
  const why = { reason: 'QueueFull', message: 'full', reached: false, retryAfterMs };
  return { kind: 'failed', status: 503, ...why };
}

test('a call succeeds at its first try', () => {
  const running = beginAttempt(fresh, 5);
  assert.deepEqual([running.phase, running.attempts], ['running', 1]);
  const ended = endAttempt(running, answer(200), { ...context, nowMs: 7 });
  assert.deepEqual([ended.phase, ended.finishedMs, ended.answered], ['succeeded', 7, 200]);
});

test('waits double, shortened by chance, until the attempts are used up', () => {
  let now = 0;
  let call = fresh;
  const waits: number[] = [];
  while (call.phase === 'queued' || call.phase === 'retrying') {
    call = endAttempt(beginAttempt(call, now), answer(500), { ...context, nowMs: now });
    waits.push(call.dueMs - now);
    now = call.dueMs;
  }
  assert.deepEqual(waits.slice(0, 2), [750, 1_500]);
  assert.deepEqual([call.phase, call.attempts, call.answered], ['failed', 3, 500]);
  assert.equal(call.failure?.reason, 'FunctionFailed');
});

test('a refusal is final at once', () => {
  const ended = endAttempt(beginAttempt(fresh, 0), answer(404), context);
  assert.deepEqual([ended.phase, ended.attempts, ended.answered], ['failed', 1, 404]);
});

test('Retry-After makes the wait longer, not shorter, and has a bound', () => {
  const after = (value: string): number =>
    endAttempt(
      state({ phase: 'running', attempts: 1, deadlineMs: 1e9 }),
      answer(429, value),
      context,
    ).dueMs;
  assert.equal(after('60'), 60_000);
  assert.equal(after('0'), 750);
  assert.equal(after('999999'), limits.retryAfterMaxMs);
});

test('what does not reach the function goes on beyond the attempts, with growing waits', () => {
  let call = fresh;
  let now = 0;
  for (let n = 0; n < 6; n++) {
    call = endAttempt(beginAttempt(call, now), miss(), { ...context, nowMs: now });
    now = call.dueMs;
  }
  assert.deepEqual([call.phase, call.attempts, call.misses], ['retrying', 0, 6]);
  const ended = endAttempt(beginAttempt(call, now), answer(200), { ...context, nowMs: now });
  assert.deepEqual([ended.phase, ended.attempts, ended.misses], ['succeeded', 1, 0]);
});

test('a call expires as soon as there will be no further try before its deadline', () => {
  const late = endAttempt(beginAttempt(fresh, 99_900), answer(500), { ...context, nowMs: 99_950 });
  assert.deepEqual([late.phase, late.finishedMs], ['expired', 99_950]);
  assert.equal(late.failure?.status, 500);
  assert.equal(beginAttempt(fresh, 100_000).phase, 'expired');
});

test('a try that was interrupted counts, and is made up for', () => {
  const once = recoverCall(state({ phase: 'running', attempts: 1 }), { ...context, nowMs: 10 });
  assert.deepEqual(
    [once.phase, once.attempts, once.failure?.reason],
    ['retrying', 1, 'Interrupted'],
  );
  const last = recoverCall(state({ phase: 'running', attempts: 3 }), { ...context, nowMs: 10 });
  assert.deepEqual([last.phase, last.finishedMs], ['failed', 10]);
});

test('recovering changes nothing about a call that did not run', () => {
  for (const phase of callPhases.filter((one) => one !== 'running')) {
    const before = state({ phase });
    assert.equal(recoverCall(before, context), before);
  }
});

const cancellable: readonly CallPhase[] = ['queued', 'retrying'];
const redrivable: readonly CallPhase[] = ['failed', 'expired', 'cancelled'];

for (const phase of callPhases) {
  const may = cancellable.includes(phase);
  test(`a call that is ${phase} can ${may ? '' : 'not '}be cancelled`, () => {
    const cancelled = cancelCall(state({ phase }), 5);
    assert.equal(cancelled?.phase, may ? 'cancelled' : undefined);
    assert.equal(cancelled?.finishedMs, may ? 5 : undefined);
  });
  const mayAgain = redrivable.includes(phase);
  test(`a call that is ${phase} can ${mayAgain ? '' : 'not '}be tried anew`, () => {
    const before = state({ phase, attempts: 3, misses: 1, finishedMs: 4, answered: 500 });
    const anew = redriveCall(before, { nowMs: 50, lifetimeMs: 10 });
    const expected = { phase: 'queued', attempts: 0, misses: 0, dueMs: 50, deadlineMs: 60 };
    assert.deepEqual(anew, mayAgain ? { ...expected, failure: undefined } : undefined);
  });
}

test('chance shortens a wait by half at most', () => {
  const random = seededRandom(7);
  for (let n = 0; n < 100; n++) {
    const { dueMs } = endAttempt(beginAttempt(fresh, 0), answer(500), { ...context, random });
    assert.ok(dueMs > 500 && dueMs <= 1_000, String(dueMs));
  }
});
