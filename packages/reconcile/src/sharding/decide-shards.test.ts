import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideShards, type ShardView } from './decide-shards.ts';

const view: ShardView = {
  session: 'a',
  holders: ['a', 'a', 'a', 'a'],
  members: ['a'],
  isDead: () => false,
  isDrained: () => false,
  offered: new Set(),
};

function decide(change: Partial<ShardView>): { run: number[]; write: unknown } {
  const { run, write } = decideShards({ ...view, ...change });
  return { run: [...run], write };
}

test('a session that has what it should have writes nothing', () => {
  assert.deepEqual(decide({}), { run: [0, 1, 2, 3], write: undefined });
});

test('shards of nobody are taken at once, and run only when that is written', () => {
  const free = [undefined, undefined, undefined, undefined];
  assert.deepEqual(decide({ holders: free }), { run: [], write: ['a', 'a', 'a', 'a'] });
});

test('surplus is run no more at once, and given away once it is drained', () => {
  const members = ['a', 'b'];
  assert.deepEqual(decide({ members }), { run: [0, 1], write: undefined });
  const isDrained = (shard: number): boolean => shard === 3;
  assert.deepEqual(decide({ members, isDrained }), { run: [0, 1], write: ['a', 'a', 'a', 'b'] });
});

test('nothing is taken from a session that is not known to be dead, even if it has no Lease', () => {
  const holders = ['a', 'a', 'b', 'b'];
  assert.deepEqual(decide({ holders }), { run: [0, 1], write: undefined });
  const isDead = (session: string): boolean => session === 'b';
  assert.deepEqual(decide({ holders, isDead }), { run: [0, 1], write: ['a', 'a', 'a', 'a'] });
});

test('any session gives the shards of the dead to whoever should have them', () => {
  const holders = ['a', 'a', 'c', 'c'];
  const members = ['a', 'b'];
  const isDead = (session: string): boolean => session === 'c';
  assert.deepEqual(decide({ holders, members, isDead }).write, ['a', 'a', 'b', 'b']);
});

test('what a lost write may still give away is not run, and written again, until it is known', () => {
  const offered = new Set([3]);
  const isDrained = (shard: number): boolean => shard === 3;
  const decision = decide({ offered, isDrained });
  assert.deepEqual(decision, { run: [0, 1, 2], write: ['a', 'a', 'a', 'a'] });
});

test('the last who leaves frees its shards', () => {
  const isDrained = (): boolean => true;
  const free = [undefined, undefined, undefined, undefined];
  assert.deepEqual(decide({ members: [], isDrained }), { run: [], write: free });
});
