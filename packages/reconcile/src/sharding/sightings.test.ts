import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '../election/lease.ts';
import { sessionLease } from './shard-lease.ts';
import { type Listing, Sightings } from './sightings.ts';

const group = { namespace: 'default', name: 'sites' };

function listing(version: string | undefined, sentMs: number, receivedMs = sentMs): Listing {
  const lease = sessionLease(group, { name: 'b', leaseMs: 10_000, isLeaving: false }, 0);
  const seen = { ...lease, metadata: { ...lease.metadata, resourceVersion: version ?? '' } };
  const leases = new Map<string, Lease>(version === undefined ? [] : [['b', seen]]);
  return { leases, sentMs, receivedMs };
}

function isDeadAfter(...listings: readonly Listing[]): boolean {
  const sightings = new Sightings(10_000);
  for (const one of listings) sightings.look(['b'], one);
  return sightings.isDead('b');
}

test('a session is dead when its Lease has not changed for as long as it lasts', () => {
  assert.equal(isDeadAfter(listing('1', 0)), false);
  assert.equal(isDeadAfter(listing('1', 0), listing('1', 9_999)), false);
  assert.equal(isDeadAfter(listing('1', 0), listing('1', 10_000)), true);
  assert.equal(isDeadAfter(listing('1', 0), listing('2', 6_000), listing('2', 12_000)), false);
});

test('it is counted from when an answer came to when the question was sent', () => {
  assert.equal(isDeadAfter(listing('1', 0, 4_000), listing('1', 13_000, 15_000)), false);
  assert.equal(isDeadAfter(listing('1', 0, 4_000), listing('1', 14_000)), true);
});

test('a Lease that is missing may have been deleted while its session lives', () => {
  assert.equal(isDeadAfter(listing('1', 0), listing(undefined, 10_000)), false);
  const missing = listing(undefined, 10_000);
  assert.equal(isDeadAfter(missing, listing(undefined, 19_000)), false);
  assert.equal(isDeadAfter(missing, listing(undefined, 20_000)), true);
});

test('whoever is dead stays dead, even when a renewal arrives at last', () => {
  assert.equal(isDeadAfter(listing('1', 0), listing('1', 10_000), listing('2', 10_500)), true);
});

test('a session that nobody speaks of any more is forgotten', () => {
  const sightings = new Sightings(10_000);
  sightings.look(['b'], listing('1', 0));
  sightings.look([], listing('1', 10_000));
  assert.equal(sightings.isDead('b'), false);
});
