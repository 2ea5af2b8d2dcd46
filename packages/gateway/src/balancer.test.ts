import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import fc from 'fast-check';
import { Balancer, type Candidate, hashText, type Placement } from './balancer.ts';

interface Place extends Candidate {
  readonly name: string;
  inFlight: number;
}

function placeOf(name: string, inFlight: number): Place {
  const place: Place = {
    name,
    hash: hashText(name),
    inFlight,
    load: () => place.inFlight,
    hasRoom: (limit) => limit === 0 || place.inFlight < limit,
  };
  return place;
}

function places(...loads: number[]): Place[] {
  return loads.map((inFlight, index) => placeOf(`hello-1-${index}`, inFlight));
}

const balancer = new Balancer(seededRandom(7));

function pick(candidates: readonly Place[], wish: Partial<Placement> = {}): Place | undefined {
  const placement = { concurrencyLimit: 0, concurrencyTarget: 0, affinity: undefined, ...wish };
  return balancer.pick(candidates, placement, 0);
}

test('pick() finds nobody among none and among the full', () => {
  assert.equal(pick([]), undefined);
  assert.equal(pick(places(5), { concurrencyLimit: 5 }), undefined);
  assert.equal(pick(places(5, 6, 5), { concurrencyLimit: 5 }), undefined);
});

test('pick() fills one after the other while the limit is small', () => {
  assert.equal(pick(places(2, 1, 0), { concurrencyLimit: 3 })?.inFlight, 2);
  assert.equal(pick(places(3, 1, 0), { concurrencyLimit: 3 })?.inFlight, 1);
});

test('pick() finds the one with room, wherever it is', () => {
  for (let i = 0; i < 100; i++) {
    assert.equal(pick(places(9, 9, 9, 4, 9), { concurrencyLimit: 9 })?.inFlight, 4);
  }
});

test('pick() keeps the load even', () => {
  const all = places(0, 0, 0, 0, 0, 0, 0, 0);
  for (let i = 0; i < 800; i++) {
    const picked = pick(all);
    if (picked !== undefined) picked.inFlight++;
  }
  for (const { inFlight } of all) assert.ok(Math.abs(inFlight - 100) <= 5, String(inFlight));
});

test('pick() asks all for the least loaded where two are at their target', () => {
  for (let i = 0; i < 100; i++) {
    assert.equal(pick(places(7, 6, 8, 5, 9), { concurrencyTarget: 5 })?.inFlight, 5);
  }
});

test('pick() never passes the limit, and finds room whenever there is some', () => {
  const limits = fc.integer({ min: 1, max: 6 });
  const targets = fc.integer({ min: 0, max: 6 });
  const affinities = fc.option(fc.nat(), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(fc.nat(6)),
      limits,
      targets,
      affinities,
      (loads, concurrencyLimit, concurrencyTarget, affinity) => {
        const picked = pick(places(...loads), { concurrencyLimit, concurrencyTarget, affinity });
        assert.equal(
          picked !== undefined,
          loads.some((load) => load < concurrencyLimit),
        );
        assert.ok(picked === undefined || picked.inFlight < concurrencyLimit);
      },
    ),
  );
});

const keys = Array.from({ length: 2000 }, (_, index) => hashText(`user-${index}`));

test('affinity keeps its place, and spreads keys over all of them', () => {
  const all = places(0, 0, 0, 0, 0);
  const counts = new Map<string, number>();
  for (const affinity of keys) {
    const picked = pick(all, { affinity });
    assert.ok(picked);
    assert.equal(pick(all.toReversed(), { affinity }), picked);
    counts.set(picked.name, (counts.get(picked.name) ?? 0) + 1);
  }
  assert.equal(counts.size, 5);
  for (const count of counts.values()) assert.ok(count > 300 && count < 500, String(count));
});

test('affinity moves only the calls of the one that goes, and of the one that is full', () => {
  const all = places(0, 0, 0, 0, 0);
  const [gone, ...rest] = all;
  assert.ok(gone);
  const moved = new Set<Place | undefined>();
  for (const affinity of keys) {
    const before = pick(all, { affinity });
    const after = pick(rest, { affinity });
    if (before === gone) moved.add(after);
    else assert.equal(after, before);
    gone.inFlight = 5;
    assert.equal(pick(all, { affinity, concurrencyLimit: 5 }), after);
    gone.inFlight = 0;
  }
  assert.equal(moved.size, 4);
});
