import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFirstPlaces, planShards } from './plan-shards.ts';

const shard = (id: string, parents: readonly string[] = [], isClosed = false) => ({
  id,
  parents,
  isClosed,
});
const split = [shard('1', [], true), shard('2', ['1']), shard('3', ['1'])];

test('planFirstPlaces() begins everywhere with oldest, and with newest where something can come', () => {
  const all = (from: 'oldest' | 'newest' | 'time'): readonly string[] => [
    ...planFirstPlaces(split, from).values(),
  ];
  assert.deepEqual(all('oldest'), ['oldest', 'oldest', 'oldest']);
  assert.deepEqual(all('newest'), ['done', 'start', 'start']);
  assert.deepEqual(all('time'), ['start', 'start', 'start']);
});

test('planShards() has children wait for all of their parents', () => {
  assert.deepEqual(planShards(split, new Map([['1', 'start']])).readable, ['1']);
  const done = planShards(split, new Map([['1', 'done']]));
  assert.deepEqual(done.readable, ['2', '3']);
  assert.equal(done.places.get('2'), 'oldest');
  const merged = [shard('1', [], true), shard('2', [], true), shard('3', ['1', '2'])];
  const half = new Map([['1', 'done'] as const, ['2', 'after 5'] as const]);
  assert.deepEqual(planShards(merged, half).readable, ['2']);
});

test('planShards() awaits the children of a shard that has ended', () => {
  const known = new Map([['1', 'done'] as const]);
  assert.equal(planShards([shard('1')], known).awaitsChildren, true);
  assert.equal(planShards([shard('1', [], true)], known).awaitsChildren, true);
  assert.equal(planShards(split, known).awaitsChildren, false);
});

test('planShards() forgets what is gone, tells what was not read, and waits for neither', () => {
  const known = new Map([['0', 'done'] as const, ['1', 'after 7'] as const]);
  const plan = planShards([shard('2', ['1', '0'])], known);
  assert.deepEqual([...plan.places], [['2', 'oldest']]);
  assert.deepEqual(plan.lost, ['1']);
  assert.deepEqual(plan.readable, ['2']);
});
