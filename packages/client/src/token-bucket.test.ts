import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  const takeMany = (bucket: TokenBucket, count: number, done: number[]): void => {
    for (let n = 0; n < count; n++) void bucket.take().then(() => done.push(n));
  };

  it('lets a burst through at once, then so many a second, in order', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ qps: 10, burst: 3 }, clock);
    const done: number[] = [];
    takeMany(bucket, 6, done);
    await clock.advance(0);
    assert.deepEqual(done, [0, 1, 2]);
    await clock.advance(100);
    assert.deepEqual(done, [0, 1, 2, 3]);
    await clock.advance(200);
    assert.deepEqual(done, [0, 1, 2, 3, 4, 5]);
  });

  it('saves up no more than a burst', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ qps: 10, burst: 2 }, clock);
    await clock.advance(60_000);
    const done: number[] = [];
    takeMany(bucket, 4, done);
    await clock.advance(0);
    assert.deepEqual(done, [0, 1]);
    await clock.advance(1_000);
  });

  it('gives a turn back that was not waited for', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ qps: 1, burst: 1 }, clock);
    assert.equal(await bucket.take(), true);
    const stop = new AbortController();
    const left = bucket.take(stop.signal);
    stop.abort();
    assert.equal(await left, false);
    const done: number[] = [];
    takeMany(bucket, 1, done);
    await clock.advance(1_000);
    assert.deepEqual(done, [0]);
    assert.equal(await bucket.take(AbortSignal.abort()), false);
  });
});
