import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Lanes, type Work } from './lanes.ts';

const never = (): boolean => false;

function add(lanes: Lanes, sequence: number, key?: string): number | undefined {
  return lanes.add({ sequence, key, heldBack: false }).superseded;
}

function takeOne(lanes: Lanes): Work {
  const [work] = lanes.take(1, never);
  assert(work !== undefined, 'something is ready');
  return work;
}

test('lanes take turns, in their order each', () => {
  const lanes = new Lanes(false);
  for (const sequence of [1, 2, 3]) add(lanes, sequence, 'a');
  add(lanes, 4, 'b');
  add(lanes, 5);
  const order: number[] = [];
  while (lanes.ready > 0) {
    const work = takeOne(lanes);
    order.push(...work.sequences);
    lanes.done(work);
  }
  assert.deepEqual(order, [1, 4, 5, 2, 3]);
  assert.equal(lanes.size, 0);
});

test('what is held back keeps back its lane only, until it wakes', () => {
  const lanes = new Lanes(false);
  add(lanes, 1, 'a');
  add(lanes, 2, 'a');
  add(lanes, 3, 'b');
  const first = takeOne(lanes);
  lanes.holdBack(first);
  assert.deepEqual(takeOne(lanes).sequences, [3]);
  assert.equal(lanes.ready, 0);
  lanes.wake({ lane: first.lane, sequence: 1 });
  assert.deepEqual(takeOne(lanes).sequences, [1]);
});

test('what is put back goes to the end', () => {
  const lanes = new Lanes(false);
  add(lanes, 1);
  add(lanes, 2);
  lanes.putBack(takeOne(lanes));
  assert.deepEqual([takeOne(lanes).sequences, takeOne(lanes).sequences], [[2], [1]]);
});

test('a batch takes the next of a lane too, and what is alone alone', () => {
  const lanes = new Lanes(false);
  for (const sequence of [1, 2, 3]) add(lanes, sequence, 'a');
  add(lanes, 4);
  add(lanes, 5);
  const isAlone = (sequence: number): boolean => sequence === 3 || sequence === 5;
  const sequences = (works: readonly Work[]): unknown => works.map((work) => work.sequences);
  const works = lanes.take(10, isAlone);
  assert.deepEqual(sequences(works), [[1, 2], [4]]);
  for (const work of works) lanes.done(work);
  assert.deepEqual(sequences(lanes.take(10, isAlone)), [[5]]);
  assert.deepEqual(sequences(lanes.take(10, isAlone)), [[3]]);
});

test('coalescing lanes keep the newest of those that wait, not what is out', () => {
  const lanes = new Lanes(true);
  assert.deepEqual([add(lanes, 1, 'a'), add(lanes, 2, 'a')], [undefined, 1]);
  const work = takeOne(lanes);
  assert.deepEqual([add(lanes, 3, 'a'), add(lanes, 4, 'a')], [undefined, 3]);
  assert.equal(lanes.holdBack(work), true);
  assert.deepEqual(takeOne(lanes).sequences, [4]);
});

test('coalescing: a newer event does not wait for the time of an older one', () => {
  const lanes = new Lanes(true);
  lanes.add({ sequence: 1, key: 'a', heldBack: true });
  assert.equal(lanes.ready, 0);
  assert.equal(add(lanes, 2, 'a'), 1);
  assert.deepEqual(takeOne(lanes).sequences, [2]);
});

const action = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key: fc.nat(3) }),
  fc.record({ do: fc.constant('take' as const), key: fc.nat(3) }),
  fc.record({
    do: fc.constantFrom('done' as const, 'holdBack' as const, 'putBack' as const, 'wake' as const),
    key: fc.nat(20),
  }),
);

test('nothing is lost, and no key is out twice or out of order', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 100 }), (actions) => {
      const lanes = new Lanes(false);
      const keys = new Map<number, string | undefined>();
      const out: Work[] = [];
      const asleep: Work[] = [];
      const finished: number[] = [];
      let last = 0;
      const finish = (work: Work): void => {
        lanes.done(work);
        finished.push(...work.sequences);
      };
      const wake = (work: Work): void => {
        for (const sequence of work.sequences) lanes.wake({ lane: work.lane, sequence });
      };
      for (const { do: what, key } of actions) {
        if (what === 'add') {
          keys.set(++last, key === 0 ? undefined : `key ${key}`);
          add(lanes, last, keys.get(last));
        } else if (what === 'take') out.push(...lanes.take(key + 1, never));
        else if (what === 'wake') asleep.splice(key % (asleep.length + 1), 1).forEach(wake);
        else {
          const [work] = out.splice(key % (out.length + 1), 1);
          if (work === undefined) continue;
          if (what === 'done') finish(work);
          else if (what === 'putBack') lanes.putBack(work);
          else if (lanes.holdBack(work) === false) asleep.push(work);
        }
        const lanesOut = out.flatMap(({ lane }) => (lane === undefined ? [] : [lane.key]));
        assert.equal(new Set(lanesOut).size, lanesOut.length);
      }
      asleep.forEach(wake);
      out.forEach(finish);
      while (lanes.ready > 0) lanes.take(2, never).forEach(finish);
      assert.deepEqual(
        finished.toSorted((a, b) => a - b),
        [...keys.keys()],
      );
      for (const key of ['key 1', 'key 2', 'key 3']) {
        const order = finished.filter((sequence) => keys.get(sequence) === key);
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
      }
      assert.equal(lanes.size, 0);
    }),
    { seed: 7, numRuns: 300 },
  );
});
