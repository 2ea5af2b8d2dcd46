import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import { openMemoryStore } from '@fnlet/store';
import { type PageStore, pagesOf } from './page-store.ts';
import { SettledPages } from './settled-pages.ts';
import { openSettledRecords } from './settled-records.ts';

const world = { resourceVersion: '7', seen: 'abc' };
const never = Number.POSITIVE_INFINITY;

function open(store: PageStore): { readonly pages: SettledPages; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  return { pages: new SettledPages({ store, clock, logger: silentLogger }), clock };
}

test('an object is settled in the world that was put, and in no other', async () => {
  await using store = openMemoryStore();
  const { pages } = open(pagesOf(store));
  const records = openSettledRecords(pages, 'op', 'v1');
  records.put('a', world);
  records.put('b', world, 5000);
  for (const look of ['waiting', 'written']) {
    assert.equal(records.dueMs('a', world), never, look);
    assert.equal(records.dueMs('b', world), 5000, look);
    assert.equal(records.dueMs('a', { ...world, resourceVersion: '8' }), undefined, look);
    assert.equal(records.dueMs('a', { ...world, seen: 'abd' }), undefined, look);
    assert.equal(records.dueMs('c', world), undefined, look);
    await pages.flush();
  }
  const again = openSettledRecords(open(pagesOf(store)).pages, 'op', 'v1');
  assert.equal(again.dueMs('b', world), 5000);
  const other = openSettledRecords(open(pagesOf(store)).pages, 'other', 'v1');
  assert.equal(other.dueMs('b', world), undefined);
});

test('what is taken out is not settled, at once and after a restart', async () => {
  await using store = openMemoryStore();
  const { pages } = open(pagesOf(store));
  const records = openSettledRecords(pages, 'op', 'v1');
  records.put('a', world);
  await pages.flush();
  records.delete('a');
  assert.equal(records.dueMs('a', world), undefined);
  await pages.flush();
  assert.deepEqual(store.keys(''), []);
});

test('what was settled in another version is not, nor when that version comes back', async () => {
  await using store = openMemoryStore();
  const { pages } = open(pagesOf(store));
  const records = openSettledRecords(pages, 'op', 'v1');
  records.put('a', world);
  await pages.flush();
  records.reset('v2');
  assert.equal(records.dueMs('a', world), undefined);
  await pages.flush();
  records.reset('v1');
  assert.equal(records.dueMs('a', world), undefined);
});

test('it is written a little later, without a timer when nothing waits', async () => {
  await using store = openMemoryStore();
  const { pages, clock } = open(pagesOf(store));
  const records = openSettledRecords(pages, 'op', 'v1');
  assert.equal(clock.timers, 0);
  records.put('a', world);
  assert.equal(store.keys('').length, 0);
  await clock.advance(1000);
  await pages.flush();
  assert.equal(store.keys('').length, 1);
  assert.equal(clock.timers, 0);
});

test('who flushes hears of a failure, and what failed is written with the next', async () => {
  await using store = openMemoryStore();
  let isBroken = true;
  const kept = pagesOf(store);
  const broken: PageStore = {
    ...kept,
    write: (changes) =>
      isBroken ? Promise.reject(new Error('the disk is full')) : kept.write(changes),
  };
  const { pages } = open(broken);
  const records = openSettledRecords(pages, 'op', 'v1');
  records.put('a', world);
  await assert.rejects(pages.flush(), /the disk is full/);
  assert.equal(records.dueMs('a', world), never);
  records.put('a', { ...world, resourceVersion: '9' });
  await assert.rejects(pages.flush(), /the disk is full/);
  isBroken = false;
  await pages.flush();
  const again = openSettledRecords(open(kept).pages, 'op', 'v1');
  assert.equal(again.dueMs('a', world), undefined);
  assert.equal(again.dueMs('a', { ...world, resourceVersion: '9' }), never);
});
