import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { concurrency, Load } from '../test/load.ts';
import type { ScaleSpec } from './decide-scale.ts';

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

test('decideScale() takes the greatest need of several metrics', () => {
  const load = new Load({ metrics: [concurrency(10), { kind: 'rps', target: 20, tolerance: 0 }] });
  assert.equal(load.run(20, 10, 100).at(-1), 5);
  assert.equal(load.reason, 'rps 100.0 for a target of 20');
  assert.equal(load.run(80, 10, 100).at(-1), 8);
  assert.equal(load.reason, 'concurrency 80.0 for a target of 10');
});

test('decideScale() keeps room for a burst beyond the load', () => {
  const load = new Load({ burst: 30 });
  assert.equal(load.run(10, 10).at(-1), 4);
  assert.equal(load.reason, 'concurrency 10.0 for a target of 10 and a burst of 30');
  assert.equal(load.run(0, 70).at(-1), 0);
});

test('decideScale() has as many Instances as activation says while there is demand', () => {
  const load = new Load({ activation: 3 });
  assert.equal(load.measure({ queued: 1 }), 3);
  assert.equal(load.reason, 'activation is 3');
  assert.equal(load.run(0, 70).at(-1), 0);
});

test('decideScale() takes the highest floor, and never more than max', () => {
  const load = new Load({ min: 1, max: 4 });
  load.floors = [
    { min: 3, reason: 'the schedule wants 3' },
    { min: 2, reason: 'predicted: 2' },
  ];
  assert.equal(load.measure({}), 3);
  assert.equal(load.reason, 'the schedule wants 3');
  load.floors = [{ min: 9, reason: 'predicted: 9' }];
  assert.equal(load.measure({}), 4);
  assert.equal(load.reason, 'predicted: 9, limited by max');
  load.floors = [];
  assert.equal(load.measure({}), 1);
});

test('decideScale() does not shrink, nor sleep, for want of a metric from elsewhere', () => {
  const lag = { kind: 'external', name: 'lag', target: 10, tolerance: 0 } as const;
  const load = new Load({ metrics: [concurrency(10), lag] });
  load.readings = { ...load.readings, external: new Map([['lag', 35]]) };
  assert.equal(load.measure({}), 4);
  assert.equal(load.reason, 'lag 35 for a target of 10');
  load.readings = { ...load.readings, external: new Map() };
  assert.ok(load.run(0, 300).every((count) => count === 4));
  assert.equal(load.reason, 'lag is unknown');
  load.readings = { ...load.readings, external: new Map([['lag', 0]]) };
  assert.equal(load.run(0, 1).at(-1), 0);
});

test('decideScale() grows with the use of CPU as a HorizontalPodAutoscaler does', () => {
  const load = new Load({ metrics: [{ kind: 'cpu', target: 50, tolerance: 0.1 }] });
  load.run(1, 3);
  assert.equal(load.wanted, 1);
  // Kubernetes, "Algorithm details": ceil(1 * 200 / 50); within 10 % nothing changes.
  load.readings = { ...load.readings, cpu: 200 };
  assert.equal(load.run(1, 1).at(-1), 4);
  assert.equal(load.reason, 'cpu 200 % for a target of 50 %');
  load.readings = { ...load.readings, cpu: 54 };
  assert.equal(load.run(1, 1).at(-1), 4);
  load.readings = { ...load.readings, cpu: 20 };
  assert.equal(load.run(1, 1).at(-1), 2);
});

test('decideScale() does not shrink by the use of some while others start', () => {
  const load = new Load({ metrics: [{ kind: 'cpu', target: 50, tolerance: 0.1 }] });
  load.run(1, 1);
  load.readings = { ...load.readings, cpu: 200 };
  load.run(1, 1);
  load.ready = 1;
  load.readings = { ...load.readings, cpu: 20 };
  assert.equal(load.measure({ inFlight: 1 }), 4);
});

test('decideScale() tolerates what is near to the target', () => {
  const load = new Load({ metrics: [{ ...concurrency(10), tolerance: 0.2 }] });
  assert.equal(load.run(40, 10).at(-1), 4);
  assert.equal(load.run(47, 10).at(-1), 4);
  assert.equal(load.run(49, 10).at(-1), 5);
});

test('decideScale() tells what demand alone needs, whatever the floor', () => {
  const load = new Load({ min: 5 });
  load.run(20, 10);
  assert.deepEqual([load.wanted, load.decision.needed], [5, 2]);
  load.run(0, 70);
  assert.deepEqual([load.wanted, load.decision.needed], [5, 0]);
});

test('decideScale() grows and shrinks as fast as the rules allow', () => {
  const growth = {
    select: 'Max',
    policies: [{ type: 'Instances', value: 2, periodMs: 10_000 }],
    stabilizationMs: 0,
  } as const;
  const load = new Load({ growth });
  const grown = load.run(100, 40);
  assert.deepEqual([...new Set(grown)], [2, 4, 6, 8]);
  assert.deepEqual(grown.slice(9, 12), [2, 4, 4]);
  assert.match(load.reason, /, as fast as scaleUp allows$/);
  const shrinking = {
    select: 'Max',
    policies: [{ type: 'Percent', value: 50, periodMs: 15_000 }],
    stabilizationMs: 0,
  } as const;
  const falling = new Load({ shrinking });
  falling.run(100, 10);
  const counts = falling.run(1, 110);
  assert.ok(counts.every((count, i) => count >= Math.trunc((counts[i - 15] ?? 10) / 2)));
  assert.equal(counts.at(-1), 1);
});

test('decideScale() holds what was recommended within the stabilization window', () => {
  const shrinking = { select: 'Max', policies: [], stabilizationMs: 300_000 } as const;
  const load = new Load({ shrinking, idleAfterMs: 0 });
  load.run(100, 10);
  const wanted = load.run(10, 400);
  assert.ok(wanted.slice(0, 355).every((count) => count === 10));
  assert.equal(wanted.at(-1), 1);
});

const specs = fc.record({
  min: fc.nat(5),
  max: fc.integer({ min: 5, max: 50 }),
  metrics: fc.integer({ min: 1, max: 50 }).map((target) => [concurrency(target)]),
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

test('decideScale() has what a load needs once it lasts for a panic window', () => {
  fc.assert(
    fc.property(specs, loads, fc.integer({ min: 1, max: 500 }), (anySpec, before, steady) => {
      const load = new Load(anySpec);
      for (const inFlight of before) load.run(inFlight, 1);
      load.run(steady, 7);
      assert.ok(load.wanted >= Math.min(Math.ceil(steady / perInstance(anySpec)), anySpec.max));
    }),
  );
});

test('decideScale() keeps growth and shrink rates in every period', () => {
  const rates = fc.record({
    up: fc.integer({ min: 1, max: 9 }),
    down: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(rates, loads, ({ up, down }, concurrencies) => {
      const rule = (value: number): ScaleSpec['growth'] => ({
        ...{ select: 'Max', stabilizationMs: 0 },
        policies: [{ type: 'Instances', value, periodMs: 5000 }],
      });
      const load = new Load({ growth: rule(up), shrinking: rule(down), idleAfterMs: 0 });
      const counts = [load.wanted, ...concurrencies.map((count) => load.run(count, 1).at(-1) ?? 0)];
      for (let i = 1; i + 5 <= counts.length; i++) {
        const period = counts.slice(i, i + 5);
        assert.ok(Math.max(...period) - (period[0] ?? 0) <= up);
        assert.ok((period[0] ?? 0) - Math.min(...period) <= down);
      }
    }),
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

function perInstance({ metrics, limit }: Pick<ScaleSpec, 'metrics' | 'limit'>): number {
  const target = metrics[0]?.target ?? 1;
  return limit > 0 ? Math.min(target, limit) : target;
}
