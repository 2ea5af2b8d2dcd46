import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideRate, RateLimiter, type RateRule } from './rate-limiter.ts';

const rule: RateRule = { requests: 60, periodMs: 60_000, burst: 3 };

test('decideRate() lets a burst through at once, then one request a second', () => {
  const limiter = new RateLimiter(rule, 10);
  const at = (nowMs: number) => limiter.take('a', nowMs);
  assert.deepEqual(at(0), { admitted: true, remaining: 2, nextInMs: 1000, fullInMs: 1000 });
  assert.deepEqual(at(0), { admitted: true, remaining: 1, nextInMs: 1000, fullInMs: 2000 });
  assert.deepEqual(at(0), { admitted: true, remaining: 0, nextInMs: 1000, fullInMs: 3000 });
  assert.deepEqual(at(0), { admitted: false, remaining: 0, nextInMs: 1000, fullInMs: 3000 });
  assert.deepEqual(at(400), { admitted: false, remaining: 0, nextInMs: 600, fullInMs: 2600 });
  assert.equal(at(1000).admitted, true);
  assert.equal(at(1999).admitted, false);
  assert.equal(at(60_000).remaining, 2);
  assert.equal(limiter.take('b', 0).remaining, 2);
});

test('a refused client that waits as long as it is told is let through then, and not before', () => {
  fc.assert(
    fc.property(
      fc.record({
        requests: fc.integer({ min: 1, max: 10_000 }),
        periodMs: fc.integer({ min: 1, max: 86_400_000 }),
        burst: fc.integer({ min: 1, max: 1000 }),
      }),
      fc.array(fc.nat(1000), { maxLength: 100 }),
      (anyRule, pauses) => {
        const limiter = new RateLimiter(anyRule, 10);
        let nowMs = 0;
        for (const pauseMs of pauses) {
          nowMs += pauseMs;
          const { admitted, nextInMs } = limiter.take('a', nowMs);
          if (admitted) continue;
          const costMs = anyRule.periodMs / anyRule.requests;
          assert.equal(limiter.look('a', nowMs + nextInMs).admitted, true);
          assert.equal(limiter.look('a', nowMs + nextInMs - costMs * 0.01).admitted, false);
        }
      },
    ),
  );
});

test('no more pass in any time than the burst and what was earned', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3000), { maxLength: 200 }), (pauses) => {
      const limiter = new RateLimiter(rule, 10);
      const passedMs: number[] = [];
      let nowMs = 0;
      for (const pauseMs of pauses) {
        nowMs += pauseMs;
        if (limiter.take('a', nowMs).admitted) passedMs.push(nowMs);
      }
      for (const [first, fromMs] of passedMs.entries()) {
        for (let last = first; last < passedMs.length; last++) {
          const earned = ((passedMs[last] ?? 0) - fromMs) / 1000;
          assert.ok(last - first + 1 <= rule.burst + earned + 1e-6);
        }
      }
    }),
  );
});

test('what is remembered has a bound, and clients whose bucket is full leave first', () => {
  const limiter = new RateLimiter(rule, 4);
  for (const client of ['a', 'b', 'c', 'd']) limiter.take(client, 0);
  for (let i = 0; i < 3; i++) limiter.take('d', 1500);
  assert.equal(limiter.size, 4);
  limiter.take('e', 1500);
  assert.equal(limiter.size, 2);
  assert.equal(limiter.look('d', 1500).admitted, false);
});

test('where all are in use the one that was used longest ago is forgotten', () => {
  const limiter = new RateLimiter(rule, 3);
  for (const client of ['a', 'b', 'c', 'a']) {
    for (let i = 0; i < 2; i++) limiter.take(client, 0);
  }
  limiter.take('new', 0);
  assert.equal(limiter.size, 3);
  assert.deepEqual(
    ['a', 'b', 'c'].map((client) => limiter.look(client, 0).remaining),
    [0, 2, 0],
  );
});

test('a hundred thousand clients cost no more than the bound', () => {
  const limiter = new RateLimiter(rule, 100);
  for (let i = 0; i < 100_000; i++) limiter.take(`${i}`, i);
  assert.ok(limiter.size <= 100);
  assert.equal(decideRate(rule, 0, 1).remaining, 2);
});
