import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairLanes, nextWindow } from './fair-lanes.ts';

test('lanes take turns, whatever waits in them', () => {
  const lanes = new FairLanes(8);
  for (const id of ['a1', 'a2', 'a3', 'a4']) lanes.add('a', id);
  lanes.add('b', 'b1');
  lanes.add('c', 'c1');
  const order = Array.from({ length: 6 }, () => lanes.take()?.id);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  assert.equal(lanes.take(), undefined);
});

test('a lane has no more in progress than its window, and goes on when one is done', () => {
  const lanes = new FairLanes(2);
  for (const id of ['1', '2', '3']) lanes.add('a', id);
  assert.deepEqual([lanes.take()?.id, lanes.take()?.id, lanes.take()], ['1', '2', undefined]);
  lanes.done('a', 'well');
  assert.equal(lanes.take()?.id, '3');
});

test('what goes wrong makes the window smaller', () => {
  const lanes = new FairLanes(8);
  for (let n = 0; n < 20; n++) lanes.add('a', String(n));
  for (let n = 0; n < 8; n++) lanes.take();
  for (let n = 0; n < 3; n++) lanes.done('a', 'badly');
  assert.equal(lanes.take(), undefined);
});

test('a lane that missed is paused, then goes on with one at first', () => {
  const lanes = new FairLanes(8);
  for (let n = 0; n < 9; n++) lanes.add('a', String(n));
  lanes.take();
  lanes.take();
  assert.deepEqual([lanes.done('a', 'missed'), lanes.done('a', 'missed')], [1, 0]);
  assert.equal(lanes.take(), undefined);
  lanes.resume('a');
  assert.deepEqual([lanes.take()?.id, lanes.take()], ['2', undefined]);
  assert.equal(lanes.done('a', 'missed'), 2);
  lanes.resume('a');
  lanes.take();
  assert.equal(lanes.done('a', 'well'), 0);
  assert.deepEqual([lanes.take()?.id, lanes.take()?.id, lanes.take()], ['4', '5', undefined]);
  assert.equal(lanes.done('a', 'missed'), 1);
});

test('a paused lane is kept until it goes on', () => {
  const lanes = new FairLanes(8);
  lanes.add('a', '1');
  lanes.take();
  lanes.done('a', 'missed');
  lanes.add('a', '2');
  assert.equal(lanes.take(), undefined);
  lanes.remove('a', '2');
  assert.equal(lanes.size, 1);
  lanes.resume('a');
  lanes.resume('b');
  assert.equal(lanes.size, 0);
});

test('what was taken out is not taken, and what is there twice is taken once', () => {
  const lanes = new FairLanes(8);
  lanes.add('a', '1');
  lanes.add('a', '1');
  lanes.add('a', '2');
  assert.equal(lanes.remove('a', '2'), true);
  assert.equal(lanes.remove('a', '2'), false);
  assert.equal(lanes.remove('b', '1'), false);
  assert.equal(lanes.take()?.id, '1');
  assert.equal(lanes.take(), undefined);
});

test('a lane without work is forgotten', () => {
  const lanes = new FairLanes(8);
  lanes.add('a', '1');
  lanes.add('b', '2');
  lanes.remove('b', '2');
  lanes.take();
  assert.equal(lanes.size, 1);
  lanes.done('a', 'well');
  assert.equal(lanes.size, 0);
});

test('a window grows by one, halves, and stays between one and its bound', () => {
  assert.equal(nextWindow(8, 'well', 32), 9);
  assert.equal(nextWindow(32, 'well', 32), 32);
  assert.equal(nextWindow(9, 'badly', 32), 4);
  assert.equal(nextWindow(1, 'badly', 32), 1);
  assert.equal(nextWindow(32, 'missed', 32), 1);
});

test('nobody waits for more than one of each other lane, and nothing is lost', () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant('add' as const), lane: fc.nat(4) }),
    fc.record({ do: fc.constant('take' as const), lane: fc.constant(0) }),
    fc.record({ do: fc.constant('done' as const), lane: fc.nat(4) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      const lanes = new FairLanes(3);
      const waiting = new Map<string, number>();
      const busy = new Map<string, number>();
      // How often others were taken while a lane with work and room waited.
      const passed = new Map<string, Map<string, number>>();
      const count = (map: Map<string, number>, key: string, by: number): void => {
        map.set(key, (map.get(key) ?? 0) + by);
      };
      let made = 0;
      for (const { do: what, lane } of actions) {
        const key = `lane ${lane}`;
        if (what === 'add') {
          lanes.add(key, String(made++));
          count(waiting, key, 1);
        } else if (what === 'done') {
          if ((busy.get(key) ?? 0) === 0) continue;
          lanes.done(key, 'well');
          count(busy, key, -1);
        } else {
          const taken = lanes.take()?.key;
          const able = [...waiting].filter(([k, n]) => n > 0 && (busy.get(k) ?? 0) < 3);
          assert.equal(taken === undefined, able.length === 0);
          if (taken === undefined) continue;
          for (const [other] of able) {
            if (other === taken) continue;
            const overtaken = passed.get(other) ?? new Map<string, number>();
            count(overtaken, taken, 1);
            passed.set(other, overtaken);
            assert.ok((overtaken.get(taken) ?? 0) <= 2, `${taken} overtook ${other}`);
          }
          passed.delete(taken);
          count(waiting, taken, -1);
          count(busy, taken, 1);
        }
      }
    }),
    { seed: 6, numRuns: 300 },
  );
});
