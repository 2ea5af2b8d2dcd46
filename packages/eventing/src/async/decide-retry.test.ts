import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeaderField, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import { decideRetry, type RetryDecision } from './decide-retry.ts';

const nowMs = Date.UTC(2026, 0, 1);

function answered(status: number, headers: readonly HeaderField[] = []): InvocationAnswer {
  return { kind: 'answered', status, headers, body: new Uint8Array(), truncated: false };
}

function failed(overrides: Partial<InvocationFailure>): InvocationFailure {
  const why = { reason: 'QueueFull', message: 'no', reached: false, retryAfterMs: undefined };
  return { kind: 'failed', status: 503, ...why, ...overrides };
}

const again = (counts: boolean, afterMs?: number): RetryDecision => ({
  kind: 'retry',
  counts,
  afterMs,
});

for (const status of [200, 201, 204, 301, 304]) {
  test(`an answer ${status} is a success`, () => {
    assert.deepEqual(decideRetry(answered(status), nowMs), { kind: 'succeed' });
  });
}

for (const status of [408, 425, 429, 500, 501, 502, 503, 504, 599]) {
  test(`an answer ${status} may be different next time`, () => {
    assert.deepEqual(decideRetry(answered(status), nowMs), again(true));
  });
}

for (const status of [400, 401, 403, 404, 409, 410, 413, 422, 451]) {
  test(`an answer ${status} will be the same next time`, () => {
    assert.deepEqual(decideRetry(answered(status), nowMs), { kind: 'fail' });
  });
}

const retryAfter: readonly [value: string, afterMs: number | undefined][] = [
  ['0', 0],
  ['120', 120_000],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['1.5', undefined],
];

for (const [value, afterMs] of retryAfter) {
  test(`Retry-After: ${value} asks for ${afterMs} ms`, () => {
    const found = decideRetry(answered(503, [['RETRY-AFTER', value]]), nowMs);
    // A number that is none is a date to some; nobody waits longer than retryAfterMaxMs for it.
    if (afterMs !== undefined) assert.deepEqual(found, again(true, afterMs));
    else assert.equal(found.kind, 'retry');
  });
}

test('what did not reach the function costs no attempt, and waits as the Gateway says', () => {
  const found = decideRetry(failed({ retryAfterMs: 5_000 }), nowMs);
  assert.deepEqual(found, again(false, 5_000));
});

test('a function that is not there may be there again', () => {
  assert.deepEqual(decideRetry(failed({ status: 404 }), nowMs), again(false));
});

test('what may have reached the function counts', () => {
  assert.deepEqual(decideRetry(failed({ status: 502, reached: true }), nowMs), again(true));
});

for (const status of [400, 413]) {
  test(`a request that the Gateway refuses with ${status} is not sent again`, () => {
    assert.deepEqual(decideRetry(failed({ status }), nowMs), { kind: 'fail' });
  });
}
