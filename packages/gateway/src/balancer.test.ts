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

/** A call of a Gateway that is near the first `near` places, as others are (`gateways` in all). */
function pickNearby(
  all: readonly Place[],
  near: number,
  wish: Partial<Placement> & { readonly gateways?: number },
): Place | undefined {
  const { gateways = 1, ...rest } = wish;
  const zoned = new Balancer(seededRandom(11));
  zoned.nearGateways = gateways;
  const placement = { concurrencyLimit: 0, concurrencyTarget: 0, affinity: undefined, ...rest };
  return zoned.pickNearby({ all, near: all.slice(0, near) }, placement, 0);
}

const nearbyCases: readonly {
  readonly what: string;
  readonly loads: readonly number[];
  readonly near: number;
  readonly wish: Partial<Placement> & { readonly gateways?: number };
  readonly picks: number | undefined;
}[] = [
  {
    what: 'a near one below its target, however idle the others are',
    ...{ loads: [4, 0, 0], near: 1, wish: { concurrencyTarget: 5 }, picks: 0 },
  },
  {
    what: 'another one where the near ones are at their target',
    ...{ loads: [5, 5, 1], near: 2, wish: { concurrencyTarget: 5 }, picks: 2 },
  },
  {
    what: 'the near one of several that is below its target',
    ...{ loads: [5, 5, 4, 0], near: 3, wish: { concurrencyTarget: 5 }, picks: 2 },
  },
  {
    what: 'the least loaded of all where all are at their target',
    ...{ loads: [9, 7, 6, 8], near: 2, wish: { concurrencyTarget: 5 }, picks: 2 },
  },
  {
    what: 'another one where the near one has no room',
    ...{ loads: [4, 0], near: 1, wish: { concurrencyLimit: 4, concurrencyTarget: 4 }, picks: 1 },
  },
  {
    what: 'a near one with room before the first, where limits are small',
    ...{ loads: [1, 0, 0], near: 1, wish: { concurrencyLimit: 2, concurrencyTarget: 2 }, picks: 0 },
  },
  {
    what: 'others where limits are small and what is near is full',
    ...{ loads: [2, 1, 0], near: 1, wish: { concurrencyLimit: 2, concurrencyTarget: 2 }, picks: 1 },
  },
  {
    what: 'a near one above its target where no other has room',
    ...{ loads: [3, 5, 5], near: 1, wish: { concurrencyLimit: 5, concurrencyTarget: 2 }, picks: 0 },
  },
  {
    what: 'its part of the target, where other Gateways are near as well',
    ...{ loads: [2, 0], near: 1, wish: { concurrencyTarget: 9, gateways: 4 }, picks: 1 },
  },
  {
    what: 'all of the target under a hard limit: nobody else calls what it has',
    ...{
      loads: [6, 0],
      near: 1,
      wish: { concurrencyLimit: 8, concurrencyTarget: 8, gateways: 4 },
      picks: 0,
    },
  },
  {
    what: 'a near one without a target, where no other is less busy',
    ...{ loads: [2, 2], near: 1, wish: {}, picks: 0 },
  },
  {
    what: 'another one without a target, where that is less busy',
    ...{ loads: [3, 2], near: 1, wish: {}, picks: 1 },
  },
  {
    what: 'nobody where nobody has room',
    ...{ loads: [5, 5], near: 1, wish: { concurrencyLimit: 5 }, picks: undefined },
  },
];

for (const { what, loads, near, wish, picks } of nearbyCases) {
  test(`pickNearby() picks ${what}`, () => {
    const all = places(...loads);
    const expected = picks === undefined ? undefined : all[picks];
    assert.equal(pickNearby(all, near, wish)?.name, expected?.name);
  });
}

const zonedLoads = fc.tuple(
  fc.array(fc.nat(7), { minLength: 1 }),
  fc.array(fc.nat(7), { minLength: 1 }),
);

test('pickNearby() refuses nobody while any has room, and passes no limit', () => {
  const wishes = fc.record({
    concurrencyLimit: fc.integer({ min: 1, max: 7 }),
    concurrencyTarget: fc.nat(7),
    affinity: fc.option(fc.nat(), { nil: undefined }),
    gateways: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(zonedLoads, wishes, ([near, far], wish) => {
      const loads = [...near, ...far];
      const picked = pickNearby(places(...loads), near.length, wish);
      const { concurrencyLimit: limit } = wish;
      assert.equal(
        picked !== undefined,
        loads.some((load) => load < limit),
      );
      assert.ok(picked === undefined || picked.inFlight < limit);
    }),
  );
});

test('pickNearby() stays near below the target, and overloads nothing while others idle', () => {
  const targets = fc.integer({ min: 1, max: 7 });
  fc.assert(
    fc.property(zonedLoads, targets, ([near, far], target) => {
      const all = places(...near, ...far);
      const picked = pickNearby(all, near.length, { concurrencyTarget: target });
      assert.ok(picked);
      const isNear = all.indexOf(picked) < near.length;
      if (near.some((load) => load < target)) assert.ok(isNear);
      if ([...near, ...far].some((load) => load < target)) assert.ok(picked.inFlight < target);
    }),
  );
});

test('Gateways of one zone together keep what is near at its target while others idle', () => {
  const [gateways, near, far] = [4, 2, 6];
  const names = places(...Array.from({ length: near + far }, () => 0));
  const seen = Array.from({ length: gateways }, () => names.map(({ name }) => placeOf(name, 0)));
  const total = (index: number): number =>
    seen.reduce((sum, all) => sum + (all[index]?.inFlight ?? 0), 0);
  // All that has room below its target: 8 places, 12 calls each.
  for (let call = 0; call < 96; call++) {
    const all = seen[call % gateways] ?? [];
    const picked = pickNearby(all, near, { concurrencyTarget: 12, gateways });
    assert.ok(picked);
    picked.inFlight++;
    if (call < 24) assert.ok(all.indexOf(picked) < near, 'the near ones come first');
  }
  for (let index = 0; index < near + far; index++) assert.equal(total(index), 12);
});

test('pickNearby() leaves calls that belong together where they are', () => {
  const all = places(0, 0, 0, 0, 0);
  for (const affinity of keys.slice(0, 200)) {
    const wish = { affinity, concurrencyTarget: 5 };
    assert.equal(pickNearby(all, 2, wish), pick(all, wish));
  }
});
