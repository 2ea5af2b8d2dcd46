import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import fc from 'fast-check';
import { type Candidate, pickCandidate } from './balancer.ts';

interface Place extends Candidate {
  inFlight: number;
}

function places(...loads: number[]): Place[] {
  return loads.map((inFlight) => {
    const place: Place = {
      inFlight,
      hasRoom: (limit) => limit === 0 || place.inFlight < limit,
    };
    return place;
  });
}

const random = seededRandom(7);

test('pickCandidate() finds nobody among none and among the full', () => {
  assert.equal(pickCandidate([], 0, random), undefined);
  assert.equal(pickCandidate(places(5), 5, random), undefined);
  assert.equal(pickCandidate(places(5, 6, 5), 5, random), undefined);
});

test('pickCandidate() fills one after the other while the limit is small', () => {
  assert.equal(pickCandidate(places(2, 1, 0), 3, random)?.inFlight, 2);
  assert.equal(pickCandidate(places(3, 1, 0), 3, random)?.inFlight, 1);
});

test('pickCandidate() finds the one with room, wherever it is', () => {
  for (let i = 0; i < 100; i++) {
    assert.equal(pickCandidate(places(9, 9, 9, 4, 9), 9, random)?.inFlight, 4);
  }
});

test('pickCandidate() keeps the load even', () => {
  const all = places(0, 0, 0, 0, 0, 0, 0, 0);
  for (let i = 0; i < 800; i++) {
    const picked = pickCandidate(all, 0, random);
    if (picked !== undefined) picked.inFlight++;
  }
  for (const { inFlight } of all) assert.ok(Math.abs(inFlight - 100) <= 5, String(inFlight));
});

test('pickCandidate() never passes the limit, and finds room whenever there is some', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(6)), fc.integer({ min: 1, max: 6 }), (loads, limit) => {
      const picked = pickCandidate(places(...loads), limit, random);
      assert.equal(
        picked !== undefined,
        loads.some((load) => load < limit),
      );
      assert.ok(picked === undefined || picked.inFlight < limit);
    }),
  );
});
