import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DueList } from './due-list.ts';

test('what is due comes in the order of its times, the rest stays', () => {
  const list = new DueList<string>();
  list.add('c', 30);
  list.add('a', 10);
  list.add('b', 20);
  assert.equal(list.nextMs, 10);
  assert.deepEqual(list.take(25), ['a', 'b']);
  assert.equal(list.nextMs, 30);
  assert.deepEqual(list.take(29), []);
  assert.deepEqual(list.take(30), ['c']);
  assert.equal(list.nextMs, undefined);
});

test('it is a sorted list, whatever is added when', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (times, nowMs) => {
      const list = new DueList<string>();
      times.forEach((ms, n) => {
        list.add(`${n} ${ms}`, ms);
      });
      const expected = times.filter((ms) => ms <= nowMs).sort((a, b) => a - b);
      assert.deepEqual(
        list.take(nowMs).map((id) => Number(id.split(' ')[1])),
        expected,
      );
      const later = times.filter((ms) => ms > nowMs);
      assert.equal(list.nextMs, later.length === 0 ? undefined : Math.min(...later));
    }),
    { seed: 6 },
  );
});

test('what was taken out does not become due, whatever else is due then', () => {
  const list = new DueList<string>();
  for (const id of ['a', 'b', 'c']) list.add(id, 5);
  list.add('d', 6);
  list.remove('b', 5);
  list.remove('b', 5);
  list.remove('a', 6);
  assert.deepEqual(list.take(9), ['a', 'c', 'd']);
});
