import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideScale, type ScaleSpec } from './decide-scale.ts';
import type { Demand } from './demand.ts';
import { emptyWindow, recordDemand, type Window } from './window.ts';

const start = 1_800_000_000_000;
const spec: ScaleSpec = { min: 0, max: 100, target: 10, idleAfterMs: 60_000, limit: 0 };

/** A Revision under load, second by second, with the scaler's decision after each. */
class Load {
  window: Window = emptyWindow;
  now = start;
  ready = 0;
  wanted = 0;
  reason = '';
  nextCheckMs: number | undefined;
  readonly #spec: ScaleSpec;
  #concurrencyMs = 0;
  #lastActiveMs = 0;

  constructor(overrides: Partial<ScaleSpec> = {}) {
    this.#spec = { ...spec, ...overrides };
    this.measure({});
  }

  /** Lets `concurrency` calls be in flight for so many seconds; what is wanted becomes ready. */
  run(concurrency: number, seconds: number): number[] {
    return Array.from({ length: seconds }, () => {
      this.now += 1000;
      this.#concurrencyMs += concurrency * 1000;
      if (concurrency > 0) this.#lastActiveMs = this.now;
      this.measure({ inFlight: concurrency });
      return this.wanted;
    });
  }

  measure(now: Partial<Demand>): number {
    const demand: Demand = {
      inFlight: 0,
      queued: 0,
      arrivals: 0,
      concurrencyMs: this.#concurrencyMs,
      lastActiveMs: this.#lastActiveMs,
      ...now,
    };
    this.window = recordDemand(this.window, demand, this.now);
    const { window, ready } = this;
    const decision = decideScale({ spec: this.#spec, window, ready, now: this.now });
    this.wanted = decision.wanted;
    this.reason = decision.reason;
    this.nextCheckMs = decision.nextCheckMs;
    this.ready = decision.wanted;
    return this.wanted;
  }
}

test('decideScale() wakes one Instance however many calls wait for it', () => {
  const load = new Load();
  assert.equal(load.wanted, 0);
  assert.equal(load.measure({ queued: 100 }), 1);
  assert.equal(load.reason, 'a call waits');
  assert.equal(load.nextCheckMs, 1000);
});

test('decideScale() does not answer a short burst with Instances', () => {
  const load = new Load();
  load.measure({ queued: 100 });
  load.now += 50;
  assert.equal(load.measure({ inFlight: 100, concurrencyMs: 5000 }), 1);
});

test('decideScale() grows within a panic window to what a steady load needs, and stays', () => {
  const load = new Load();
  const wanted = load.run(100, 120);
  assert.deepEqual(wanted.slice(0, 6), [2, 4, 5, 7, 9, 10]);
  assert.ok(wanted.slice(6).every((count) => count === 10));
  assert.equal(load.reason, 'concurrency 100.0 for a target of 10');
});

test('decideScale() shrinks only after a stable window was calmer', () => {
  const load = new Load();
  load.run(100, 10);
  const wanted = load.run(10, 90);
  assert.ok(wanted.slice(0, 55).every((count) => count === 10));
  assert.equal(wanted.at(-1), 1);
});

test('decideScale() keeps the last Instance until nobody called for idleAfter', () => {
  const load = new Load({ idleAfterMs: 90_000 });
  load.run(5, 5);
  const wanted = load.run(0, 95);
  assert.ok(wanted.slice(0, 89).every((count) => count === 1));
  assert.ok(wanted.slice(89).every((count) => count === 0));
  assert.equal(load.reason, 'no call for 90 s');
  assert.equal(load.nextCheckMs, undefined);
});

test('decideScale() says when the last Instance may go', () => {
  const load = new Load();
  load.run(5, 5);
  load.run(0, 20);
  assert.equal(load.nextCheckMs, 40_000);
});

test('decideScale() sleeps after idleAfter even while the window remembers load', () => {
  const load = new Load({ idleAfterMs: 2000 });
  load.run(100, 10);
  assert.deepEqual(load.run(0, 3), [10, 0, 0]);
});

test('decideScale() never sleeps with idleAfter 0, nor below min', () => {
  const load = new Load({ idleAfterMs: 0 });
  load.run(5, 5);
  assert.equal(load.run(0, 200).at(-1), 1);
  const floor = new Load({ min: 3 });
  assert.equal(floor.wanted, 3);
  assert.equal(floor.reason, 'min is 3');
  assert.equal(floor.nextCheckMs, undefined);
});

test('decideScale() stops at max and says so', () => {
  const load = new Load({ max: 4 });
  assert.equal(load.run(1000, 10).at(-1), 4);
  assert.match(load.reason, /limited by max/);
});

test('decideScale() counts with the hard limit where it is lower than the target', () => {
  assert.equal(new Load({ limit: 2 }).run(20, 10).at(-1), 10);
  assert.equal(new Load({ limit: 50 }).run(20, 10).at(-1), 2);
});

test('decideScale() keeps what the load needs while all Instances are gone', () => {
  const load = new Load();
  load.run(100, 10);
  load.ready = 0;
  assert.equal(load.measure({ queued: 100 }), 10);
});

const specs = fc.record({
  min: fc.nat(5),
  max: fc.integer({ min: 5, max: 50 }),
  target: fc.integer({ min: 1, max: 50 }),
  idleAfterMs: fc.constantFrom(0, 1000, 30_000, 600_000),
  limit: fc.nat(20),
});
const loads = fc.array(fc.nat(500), { maxLength: 90 });

test('decideScale() never goes below min or above max, nor to 0 while calls are there', () => {
  fc.assert(
    fc.property(specs, loads, (anySpec, concurrencies) => {
      const load = new Load(anySpec);
      for (const concurrency of concurrencies) {
        load.run(concurrency, 1);
        assert.ok(load.wanted >= anySpec.min && load.wanted <= anySpec.max);
        if (concurrency > 0) assert.ok(load.wanted >= 1);
      }
    }),
  );
});

test('decideScale() wants no fewer Instances for more demand', () => {
  fc.assert(
    fc.property(
      specs,
      fc.array(fc.tuple(fc.nat(200), fc.nat(200)), { maxLength: 90 }),
      (s, both) => {
        const less = new Load(s);
        const more = new Load(s);
        for (const [base, extra] of both) {
          less.run(base, 1);
          more.run(base + extra, 1);
          assert.ok(more.wanted >= less.wanted);
        }
      },
    ),
  );
});

test('decideScale() does not oscillate on a constant load', () => {
  fc.assert(
    fc.property(specs, fc.nat(1000), (anySpec, concurrency) => {
      const settled = new Load({ ...anySpec, idleAfterMs: 0 });
      settled.run(concurrency, 7);
      const wanted = settled.wanted;
      assert.ok(settled.run(concurrency, 100).every((count) => count === wanted));
    }),
    { numRuns: 30 },
  );
});
