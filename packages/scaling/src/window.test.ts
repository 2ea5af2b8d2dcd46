import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Demand } from './demand.ts';
import { concurrencyOf, rateOf } from './load.ts';
import {
  bucketsKept,
  defaultSpans,
  emptyWindow,
  peakOf,
  recordDemand,
  type Window,
} from './window.ts';

const start = 1_800_000_000_000;
const bucketsMax = bucketsKept(defaultSpans);

function demand(concurrencyMs: number): Demand {
  const busy = { busyMs: concurrencyMs, served: 0, servedMs: 0 };
  return { inFlight: 0, queued: 0, arrivals: 0, lastActiveMs: 0, concurrencyMs, ...busy };
}

/** A window that saw `concurrency` calls for each of so many seconds, measured once a second. */
function steady(concurrency: number, seconds: number): Window {
  let window = emptyWindow;
  for (let s = 0; s <= seconds; s++) {
    window = recordDemand(window, demand(concurrency * s * 1000), { now: start + s * 1000 });
  }
  return window;
}

test('recordDemand() takes the first measurement as the base of the next ones', () => {
  const window = recordDemand(emptyWindow, demand(5_000_000), { now: start });
  assert.deepEqual(window.buckets, []);
  const next = recordDemand(window, demand(5_000_500), { now: start + 500 });
  assert.equal(next.buckets.length, 1);
  assert.equal(next.buckets[0]?.second, start / 1000);
  assert.equal(next.buckets[0]?.concurrencyMs, 500);
});

test('recordDemand() spreads a measurement over the seconds since the last one', () => {
  const base = recordDemand(emptyWindow, demand(0), { now: start + 500 });
  const window = recordDemand(base, demand(4000), { now: start + 2500 });
  assert.deepEqual(
    window.buckets.map(({ concurrencyMs }) => concurrencyMs),
    [1000, 2000, 1000],
  );
});

test('recordDemand() survives a counter that starts anew and a clock that is set back', () => {
  const base = recordDemand(emptyWindow, demand(9000), { now: start });
  const again = recordDemand(base, demand(300), { now: start + 1000 });
  assert.equal(total(again), 300);
  const back = recordDemand(again, demand(800), { now: start - 5000 });
  assert.ok(total(back) >= 500);
});

test('a window never holds more than its buckets, and loses no measurement within it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ stepMs: fc.integer({ min: 0, max: 20_000 }), more: fc.nat(9999) })),
      (steps) => {
        let window = recordDemand(emptyWindow, demand(0), { now: start });
        let sum = 0;
        let now = start;
        for (const { stepMs, more } of steps) {
          sum += more;
          now += stepMs;
          window = recordDemand(window, demand(sum), { now });
          assert.ok(window.buckets.length <= bucketsMax);
          if (now - start < bucketsMax * 1000 - 1000)
            assert.ok(Math.abs(total(window) - sum) < 0.01);
        }
      },
    ),
  );
});

test('peakOf() sees a steady load in full after one panic window', () => {
  for (const [seconds, expected] of [
    [1, 2],
    [3, 6],
    [6, 12],
    [100, 12],
  ] as const) {
    // The last measurement falls on the border of a second that has only begun.
    const now = start + seconds * 1000 - 1;
    assert.equal(peakOf(steady(12, seconds), concurrencyOf, { now }), expected, `${seconds} s`);
  }
});

test('peakOf() remembers a burst for a stable window and then forgets it', () => {
  const burst = steady(12, 6);
  const endMs = start + 6000;
  assert.equal(peakOf(burst, concurrencyOf, { now: endMs + 58_000 }), 12);
  assert.equal(peakOf(burst, concurrencyOf, { now: endMs + 66_000 }), 0);
});

test('peakOf() counts arrivals as it counts concurrency', () => {
  let window = emptyWindow;
  for (let s = 0; s <= 12; s++) {
    window = recordDemand(window, { ...demand(0), arrivals: 7 * s }, { now: start + s * 1000 });
  }
  const now = start + 11_999;
  assert.equal(peakOf(window, rateOf, { now }), 7);
  assert.equal(peakOf(window, concurrencyOf, { now }), 0);
});

test('other spans see a steady load sooner or later, and forget it sooner or later', () => {
  const spans = { stableSeconds: 20, panicSeconds: 2 };
  let window = emptyWindow;
  for (let s = 0; s <= 2; s++) {
    window = recordDemand(window, demand(5000 * s), { now: start + s * 1000, spans });
  }
  assert.equal(peakOf(window, concurrencyOf, { now: start + 1999, spans }), 5);
  assert.equal(peakOf(window, concurrencyOf, { now: start + 20_000, spans }), 5);
  assert.equal(peakOf(window, concurrencyOf, { now: start + 22_000, spans }), 0);
});

function total(window: Window): number {
  return window.buckets.reduce((sum, { concurrencyMs }) => sum + concurrencyMs, 0);
}
