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

/** By name: how many Instances there are, all ready, and how many its calls need. */
type Instances = Readonly<Record<string, readonly [ready: number, needed: number]>>;

interface Situation {
  readonly live: string;
  readonly wanted: string;
  readonly instances: Instances;
  readonly scale?: { readonly min: number; readonly max: number };
  readonly before?: number;
}

function shift(situation: Situation): string {
  const { live, wanted, instances, scale = { min: 0, max: 100 }, before = 0 } = situation;
  const capacityOf = (name: string) => {
    const [ready, needed] = instances[name] ?? [0, 0];
    return { present: ready, ready, needed };
  };
  const sides = { live: shares(live), wanted: shares(wanted) };
  const { needs, shortage } = planShift({ ...sides, capacityOf, scale, before });
  const needed = [...needs].map(([name, count]) => `${name}:${count}`).join(' ');
  return shortage === undefined
    ? `move ${needed}`
    : `wait ${needed} (${shortage.revision} ${shortage.ready}/${shortage.needed})`;
}

const cases: readonly [string, string, string, Instances, string][] = [
  ['the first Revision moves as it is', '', 'new 100', { new: [1, 0] }, 'move new:0'],
  [
    'one Instance takes over from one',
    'old 100',
    'new 100',
    { old: [1, 1], new: [1, 0] },
    'move new:1',
  ],
  ['nothing wakes while all sleeps', 'old 100', 'older 100', {}, 'move older:0'],
  [
    'what sleeps is woken for a Function that is awake',
    'old 100',
    'older 100',
    { old: [1, 0] },
    'wait older:1 (older 0/1)',
  ],
  [
    'all of the demand asks for all of the Instances',
    'old 100',
    'new 100',
    { old: [5, 5], new: [1, 0] },
    'wait new:5 (new 1/5)',
  ],
  [
    'a part asks for its part, rounded up',
    'old 100',
    'old 90, new 10',
    { old: [15, 15], new: [1, 0] },
    'wait new:2 (new 1/2)',
  ],
  [
    'who serves already counts by its calls, not by what it was given for more',
    'old 50, new 50',
    'new 100',
    { old: [3, 3], new: [5, 3] },
    'wait new:6 (new 5/6)',
  ],
  [
    'what is kept idle asks for nothing',
    'old 100',
    'new 100',
    { old: [9, 1], new: [1, 0] },
    'move new:1',
  ],
  [
    'who gets less needs nothing',
    'old 50, new 50',
    'old 100',
    { old: [6, 3], new: [3, 3] },
    'move old:6',
  ],
  ['a tag needs nothing', 'old 100', 'old 100, new 0', { old: [5, 5] }, 'move '],
  [
    'a Revision called by its tag is no demand',
    'old 100, x 0',
    'new 100',
    { x: [9, 9], new: [1, 0] },
    'move new:0',
  ],
];

for (const [title, live, wanted, instances, expected] of cases) {
  test(`planShift(): ${title}`, () => assert.equal(shift({ live, wanted, instances }), expected));
}

test('planShift() asks for the minimum of a Function that is awake, never beyond its maximum', () => {
  const sides = { live: 'old 100', wanted: 'new 100' };
  const few = { instances: { old: [3, 1], new: [1, 0] }, scale: { min: 3, max: 9 } } as const;
  assert.equal(shift({ ...sides, ...few }), 'wait new:3 (new 1/3)');
  const many = { instances: { old: [9, 9], new: [4, 0] }, scale: { min: 0, max: 4 } } as const;
  assert.equal(shift({ ...sides, ...many }), 'move new:4');
});

test('planShift() remembers what was needed when another Revision served', () => {
  const instances = { old: [3, 1], new: [1, 0] } as const;
  const edit = { live: 'old 100', wanted: 'new 100', instances, before: 3 };
  assert.equal(shift(edit), 'wait new:3 (new 1/3)');
  assert.equal(shift({ ...edit, instances: { new: [1, 0] } }), 'move new:0');
});

test('planShift() moves once what it asked for is there, and never asks for more', () => {
  const count = fc.integer({ min: 0, max: 50 });
  const percents = fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 }));
  const property = fc.property(
    percents,
    fc.tuple(count, count),
    fc.integer({ min: 1, max: 60 }),
    ([from, to], [old, newer], max) => {
      const live = shares(`old ${100 - from}, new ${from}`);
      const wanted = shares(`old ${100 - to}, new ${to}`);
      const needed = new Map([
        ['old', old],
        ['new', newer],
      ]);
      const present = new Map(needed);
      const capacityOf = (name: string) => {
        const ready = present.get(name) ?? 0;
        return { present: ready, ready, needed: needed.get(name) ?? 0 };
      };
      const options = { live, wanted, capacityOf, scale: { min: 0, max }, before: 0 };
      const first = planShift(options);
      for (const [name, count] of first.needs) {
        assert.ok(count <= max && count <= Math.max(1, old + newer));
        present.set(name, Math.max(count, present.get(name) ?? 0));
      }
      const second = planShift(options);
      assert.equal(second.shortage, undefined);
      for (const [name, count] of second.needs) assert.ok(count <= (first.needs.get(name) ?? 0));
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
