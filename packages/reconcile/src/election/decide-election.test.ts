import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideElection, heldLease, newLease, releasedLease } from './decide-election.ts';

const key = { namespace: 'sites', name: 'operator' };
const me = { identity: 'a', leaseMs: 15_000 };
const mine = newLease(me, key, 0);
const theirs = newLease({ ...me, identity: 'b' }, key, 0);

test('decideElection() claims what is not there and what was given back', () => {
  assert.equal(decideElection(me, { lease: undefined, sinceMs: 0 }, 0), 'claim');
  assert.equal(decideElection(me, { lease: releasedLease(theirs, 0), sinceMs: 0 }, 0), 'claim');
});

test('decideElection() waits as long as the holder asked for, on its own clock', () => {
  assert.equal(decideElection(me, { lease: theirs, sinceMs: 100 }, 15_099), 'wait');
  assert.equal(decideElection(me, { lease: theirs, sinceMs: 100 }, 15_100), 'claim');
  const longer = { ...theirs, spec: { ...theirs.spec, leaseDurationSeconds: 60 } };
  assert.equal(decideElection(me, { lease: longer, sinceMs: 100 }, 15_100), 'wait');
});

test('decideElection() never reads the times of others', () => {
  const ancient = { ...theirs, spec: { ...theirs.spec, renewTime: '1999-01-01T00:00:00.000000Z' } };
  assert.equal(decideElection(me, { lease: ancient, sinceMs: 0 }, 1), 'wait');
});

test('decideElection() renews its own, also when it does not know how it got it', () => {
  assert.equal(decideElection(me, { lease: mine, sinceMs: 0 }, 1e9), 'renew');
});

test('decideElection() uses its own duration where the Lease says nothing sensible', () => {
  const odd = { ...theirs, spec: { ...theirs.spec, leaseDurationSeconds: 0 } };
  assert.equal(decideElection(me, { lease: odd, sinceMs: 0 }, 14_999), 'wait');
});

test('heldLease() counts who follows whom, and keeps when a holder began', () => {
  const taken = heldLease(me, theirs, 60_000);
  assert.equal(taken.spec?.leaseTransitions, 1);
  assert.equal(taken.spec?.acquireTime, '1970-01-01T00:01:00.000000Z');
  const renewed = heldLease(me, taken, 90_000);
  assert.equal(renewed.spec?.leaseTransitions, 1);
  assert.equal(renewed.spec?.acquireTime, '1970-01-01T00:01:00.000000Z');
  assert.equal(renewed.spec?.renewTime, '1970-01-01T00:01:30.000000Z');
});

test('releasedLease() reads as client-go leaves it', () => {
  assert.deepEqual(releasedLease(mine, 0).spec, {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: '1970-01-01T00:00:00.000000Z',
    renewTime: '1970-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
});
