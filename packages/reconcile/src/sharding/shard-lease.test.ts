import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import type { Lease } from '../election/lease.ts';
import { groupLease, readHolders, shardsAnnotation } from './shard-lease.ts';

const group = { namespace: 'default', name: 'sites' };

function leaseWith(text: string): Lease {
  const known = groupLease(group, undefined, { holders: [], session: 'a', now: 0 });
  return { ...known, metadata: { ...known.metadata, annotations: { [shardsAnnotation]: text } } };
}

test('readHolders() reads what groupLease() wrote', () => {
  const holders = readHolders(undefined).map((_, shard) => ['a', 'b', undefined][shard % 3]);
  const lease = groupLease(group, undefined, { holders, session: 'a', now: 0 });
  assert.deepEqual(readHolders(lease), holders);
});

test('every write of a group differs from the one before, even if nobody moves', () => {
  const write = { holders: readHolders(undefined), session: 'a', now: 0 };
  const first = groupLease(group, undefined, write);
  assert.notDeepEqual(groupLease(group, first, write), first);
});

test('readHolders() refuses what it does not understand, rather than to take it for nobody', () => {
  for (const text of ['', 'null', '[]', '{"a":1}', '{"a":["1"]}', '{"a":[64]}', '{"a":[-1]}']) {
    assert.throws(
      () => readHolders(leaseWith(text)),
      (error) => hasCode(error, 'InvalidShards'),
      text,
    );
  }
});
