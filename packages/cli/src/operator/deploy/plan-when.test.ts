import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  and,
  cel,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
} from '@fnlet/sdk/operator';
import { planWhen } from './plan-when.ts';

const [generation, labels] = [{ changes: 'generation' }, { changes: 'labels' }];

const planned: readonly (readonly [string, Predicate, object])[] = [
  ['one test', generationChanged, generation],
  ['an expression', cel('object.a'), { cel: 'object.a' }],
  ['its opposite', not(labelsChanged), { not: labels }],
  ['twice the opposite', not(not(labelsChanged)), labels],
  ['several', or(generationChanged, labelsChanged), { or: [generation, labels] }],
  ['a list of one', and(or(labelsChanged)), labels],
  [
    'the opposite of several',
    not(or(generationChanged, not(labelsChanged))),
    { and: [{ not: generation }, labels] },
  ],
  [
    'lists in lists of their kind',
    and(and(generationChanged, and(labelsChanged, cel('a'))), cel('b')),
    { and: [generation, labels, { cel: 'a' }, { cel: 'b' }] },
  ],
  [
    'two levels, one of them negated',
    and(not(and(generationChanged, cel('a'))), labelsChanged),
    { and: [{ or: [{ not: generation }, { not: { cel: 'a' } }] }, labels] },
  ],
];

for (const [name, predicate, expected] of planned) {
  test(`planWhen() says ${name}`, () => assert.deepEqual(planWhen(predicate), expected));
}

test('planWhen() refuses what the kind cannot say, with what to do', () => {
  const deep = and(or(and(labelsChanged, cel('a')), cel('b')), cel('c'));
  assert.throws(() => planWhen(deep), { message: /three times/, remedy: /cel`…`/ });
});
