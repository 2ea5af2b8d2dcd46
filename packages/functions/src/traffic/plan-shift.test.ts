import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScale, resolveScale } from '@fnlet/api';
import fc from 'fast-check';
import { planShareScale, planShift } from './plan-shift.ts';
import type { Share } from './share.ts';

/** `old 90, new 10` */
function shares(text: string): readonly Share[] {
  if (text === '') return [];
  return text.split(', ').map((part) => {
    const [name = '', percent = ''] = part.split(' ');
    return { revision: { name, timeout: '30s' }, percent: Number(percent) };
  });
}

interface Situation {
  readonly live: string;
  readonly wanted: string;
  readonly ready: Readonly<Record<string, number>>;
  readonly max?: number;
}

function shift({ live, wanted, ready, max = 100 }: Situation): string {
  const capacityOf = (name: string) => ({ present: ready[name] ?? 0, ready: ready[name] ?? 0 });
  const { needs, shortage } = planShift({
    live: shares(live),
    wanted: shares(wanted),
    capacityOf,
    max,
  });
  const needed = [...needs].map(([name, count]) => `${name}:${count}`).join(' ');
  return shortage === undefined
    ? `move ${needed}`
    : `wait ${needed} (${shortage.revision} ${shortage.ready}/${shortage.needed})`;
}

const cases: readonly [string, string, string, Readonly<Record<string, number>>, string][] = [
  ['the first Revision moves as it is', '', 'new 100', { new: 1 }, 'move new:0'],
  ['one Instance takes over from one', 'old 100', 'new 100', { old: 1, new: 1 }, 'move new:1'],
  ['nothing wakes while all sleeps', 'old 100', 'older 100', {}, 'move older:0'],
  [
    'what sleeps is woken for a Function that is awake',
    'old 100',
    'older 100',
    { old: 1 },
    'wait older:1 (older 0/1)',
  ],
  [
    'all of the demand asks for all of the Instances',
    'old 100',
    'new 100',
    { old: 5, new: 1 },
    'wait new:5 (new 1/5)',
  ],
  [
    'a part asks for its part, rounded up',
    'old 100',
    'old 90, new 10',
    { old: 15, new: 1 },
    'wait new:2 (new 1/2)',
  ],
  [
    'who serves already counts for the demand',
    'old 50, new 50',
    'new 100',
    { old: 3, new: 3 },
    'wait new:6 (new 3/6)',
  ],
  ['who gets less needs nothing', 'old 50, new 50', 'old 100', { old: 6, new: 0 }, 'move old:6'],
  ['a tag needs nothing', 'old 100', 'old 100, new 0', { old: 5 }, 'move '],
  [
    'a Revision called by tag is no demand',
    'old 100, x 0',
    'new 100',
    { x: 9, new: 1 },
    'move new:0',
  ],
];

for (const [title, live, wanted, ready, expected] of cases) {
  test(`planShift(): ${title}`, () => assert.equal(shift({ live, wanted, ready }), expected));
}

test('planShift() never waits for more than the Function may have', () => {
  const ready = { old: 9, new: 4 };
  assert.equal(shift({ live: 'old 100', wanted: 'new 100', ready, max: 4 }), 'move new:4');
});

test('planShift() moves once what it asked for is there, and never asks for more', () => {
  const count = fc.integer({ min: 0, max: 50 });
  const property = fc.property(
    fc.integer({ min: 0, max: 100 }),
    count,
    count,
    fc.integer({ min: 1, max: 60 }),
    (percent, old, newer, max) => {
      const live = shares('old 100');
      const wanted = shares(`old ${100 - percent}, new ${percent}`);
      const present = new Map([
        ['old', old],
        ['new', newer],
      ]);
      const capacityOf = (name: string) => {
        const ready = present.get(name) ?? 0;
        return { present: ready, ready };
      };
      const first = planShift({ live, wanted, capacityOf, max });
      for (const [name, needed] of first.needs) {
        assert.ok(needed <= max && needed <= old);
        present.set(name, Math.max(needed, present.get(name) ?? 0));
      }
      assert.equal(planShift({ live, wanted, capacityOf, max }).shortage, undefined);
    },
  );
  fc.assert(property);
});

const scale = resolveScale({ ...defaultScale, min: 2, max: 10 });

test('planShareScale() gives each its part, and all of it to who has all', () => {
  assert.equal(planShareScale(scale, 100, 0), scale);
  const bounds = (percent: number, reserved: number): readonly number[] => {
    const { min, max } = planShareScale(scale, percent, reserved);
    return [min, max];
  };
  assert.deepEqual(bounds(50, 0), [1, 5]);
  assert.deepEqual(bounds(1, 0), [1, 1]);
  assert.deepEqual(bounds(0, 0), [0, 10]);
  assert.deepEqual(bounds(0, 4), [4, 10]);
  assert.deepEqual(bounds(10, 4), [4, 4]);
  assert.deepEqual(bounds(100, 4), [4, 10]);
});
