import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLoad, measureRecent, type RecentCalls } from './current-load.ts';
import type { Demand } from './demand.ts';
import { emptyWindow, recordDemand, type Window } from './window.ts';

const spans = { stableSeconds: 60, panicSeconds: 6 };
const startMs = 1_000_000_000_000;

/** Calls per second, each of which waits and is answered for so long, from the start on. */
function steady(
  terms: { readonly rate: number; readonly busyMs: number; readonly waitMs: number },
  toMs: number,
): Window {
  let window = emptyWindow;
  for (let ms = 0; ms <= toMs; ms += 250) {
    const calls = (terms.rate * ms) / 1000;
    const demand: Demand = {
      ...{ inFlight: 1, queued: 0, lastActiveMs: startMs + ms },
      ...{ arrivals: calls, served: calls, servedMs: calls * terms.busyMs },
      ...{ busyMs: calls * terms.busyMs, concurrencyMs: calls * (terms.busyMs + terms.waitMs) },
    };
    window = recordDemand(window, demand, { now: startMs + ms, spans });
  }
  return window;
}

function at(window: Window, ms: number, queued = 0): RecentCalls {
  return measureRecent(window, { queued }, { now: startMs + ms, spans });
}

test('a steady load is told as it is, at any part of a second', () => {
  const window = steady({ rate: 20, busyMs: 100, waitMs: 50 }, 30_000);
  for (const ms of [30_000, 29_750]) {
    const load = describeLoad([at(steady({ rate: 20, busyMs: 100, waitMs: 50 }, ms), ms)], spans);
    assert.equal(Math.round(load.concurrency * 100) / 100, 3, `${ms}`);
    assert.equal(Math.round(load.requestsPerSecond * 10) / 10, 20, `${ms}`);
    assert.equal(Math.round(load.queueSeconds * 1000) / 1000, 0.05, `${ms}`);
  }
  assert.equal(describeLoad([at(window, 30_000, 7)], spans).queued, 7);
});

test('what is over is forgotten after the window, and half of it is half', () => {
  const window = steady({ rate: 12, busyMs: 500, waitMs: 0 }, 10_000);
  assert.equal(Math.round(describeLoad([at(window, 13_000)], spans).concurrency), 3);
  const over = describeLoad([at(window, 16_001)], spans);
  assert.deepEqual(over, {
    windowSeconds: 6,
    ...{ concurrency: 0, requestsPerSecond: 0, queued: 0, queueSeconds: 0 },
  });
});

test('Revisions of one Function are added up, and their calls waited as long as they did', () => {
  const calm: RecentCalls = {
    ...{ seconds: 6, concurrencyMs: 6_000, busyMs: 6_000, arrivals: 60, queued: 0 },
  };
  const crowded: RecentCalls = { ...calm, concurrencyMs: 18_000, queued: 4 };
  assert.deepEqual(describeLoad([calm, crowded], spans), {
    ...{ windowSeconds: 6, concurrency: 4, requestsPerSecond: 20, queued: 4, queueSeconds: 0.1 },
  });
});

test('nothing is no load, and calls that have stood there since before the window have waited', () => {
  assert.deepEqual(describeLoad([], spans), {
    ...{ windowSeconds: 6, concurrency: 0, requestsPerSecond: 0, queued: 0, queueSeconds: 0 },
  });
  const stuck = { seconds: 6, concurrencyMs: 12_000, busyMs: 0, arrivals: 0, queued: 2 };
  assert.equal(describeLoad([stuck], spans).queueSeconds, 6);
});
