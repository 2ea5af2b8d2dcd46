import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveDelivery } from '@fnlet/api';
import { seededRandom } from '@fnlet/base';
import { type DeliveryDecision, decideDelivery, isDown, wishedMs } from './decide-delivery.ts';
import type { DeliveryAnswer } from './event-target.ts';

const nowMs = Date.UTC(2026, 0, 1);
const random = seededRandom(1);

function answered(status: number, retryAfter?: string): DeliveryAnswer {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { status, headers, body: new Uint8Array() };
}

function decide(
  answer: DeliveryAnswer,
  attempts: number,
  policy: Parameters<typeof resolveDelivery>[0] = {},
): DeliveryDecision {
  return decideDelivery(answer, { attempts, policy: resolveDelivery(policy), nowMs, random });
}

function waitMs(decision: DeliveryDecision): number | undefined {
  return decision.kind === 'retry' ? decision.dueMs - nowMs : undefined;
}

test('every 2xx is a delivery', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(decide(answered(status), 1), { kind: 'delivered' }, String(status));
  }
});

test('what may pass is tried again', () => {
  for (const status of [0, 404, 408, 409, 429, 500, 501, 502, 503, 504, 599]) {
    assert.equal(decide(answered(status), 1).kind, 'retry', String(status));
  }
});

test('a refusal is final at the first try', () => {
  for (const status of [100, 199, 301, 302, 304, 400, 401, 403, 405, 410, 413, 415, 422, 499]) {
    assert.deepEqual(decide(answered(status), 1), { kind: 'dead', reason: 'Refused' }, `${status}`);
  }
});

test('retry: N is N + 1 tries', () => {
  assert.equal(decide(answered(500), 3, { retry: 3 }).kind, 'retry');
  assert.deepEqual(decide(answered(500), 4, { retry: 3 }), { kind: 'dead', reason: 'Exhausted' });
  assert.deepEqual(decide(answered(500), 1, { retry: 0 }), { kind: 'dead', reason: 'Exhausted' });
});

test('exponential waits double from backoffDelay on', () => {
  const policy = { backoffDelay: 'PT0.2S' };
  const waits = [1, 2, 3, 4].map((attempts) => waitMs(decide(answered(500), attempts, policy)));
  assert.deepEqual(waits, [200, 400, 800, 1600]);
});

test('linear waits grow by backoffDelay, from nothing on', () => {
  const policy = { backoffPolicy: 'linear', backoffDelay: '3s' } as const;
  const waits = [1, 2, 3].map((attempts) => waitMs(decide(answered(500), attempts, policy)));
  assert.deepEqual(waits, [0, 3_000, 6_000]);
});

test('no wait is longer than backoffMax, however many tries there were', () => {
  for (const backoffPolicy of ['exponential', 'linear'] as const) {
    const policy = { retry: 100, backoffPolicy, backoffDelay: '1m', backoffMax: '5m' };
    assert.equal(waitMs(decide(answered(500), 99, policy)), 300_000);
  }
});

test('jitter takes up to half of a wait away', () => {
  for (let n = 0; n < 100; n++) {
    const wait = waitMs(decide(answered(500), 1, { backoffDelay: '1s', jitter: true })) ?? 0;
    assert.ok(wait >= 500 && wait <= 1_000, String(wait));
  }
});

test('Retry-After makes a wait longer, never shorter, and has a bound', () => {
  assert.equal(waitMs(decide(answered(429, '7'), 1)), 7_000);
  assert.equal(waitMs(decide(answered(503, 'Thu, 01 Jan 2026 00:01:00 GMT'), 1)), 60_000);
  assert.equal(waitMs(decide(answered(503, '0'), 1)), 200);
  assert.equal(waitMs(decide(answered(503, '60'), 1, { retryAfterMax: '10s' })), 10_000);
  assert.equal(waitMs(decide(answered(503, '60'), 1, { retryAfterMax: 'PT0S' })), 200);
});

test('Retry-After of other answers, and one that cannot be read, says nothing', () => {
  assert.equal(waitMs(decide(answered(500, '60'), 1)), 200);
  assert.equal(waitMs(decide(answered(503, 'soon'), 1)), 200);
  assert.equal(wishedMs(answered(200, '5'), { retryAfterMaxMs: 1e9 }, nowMs), 0);
});

test('a target that is down is told from an event that fails', () => {
  for (const status of [0, 429, 502, 503]) assert.ok(isDown(answered(status)), String(status));
  for (const status of [200, 400, 404, 408, 500, 504]) assert.ok(!isDown(answered(status)));
});
