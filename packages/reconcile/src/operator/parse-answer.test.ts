import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAnswer } from './parse-answer.ts';

const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

test('parseAnswer() fills in what an answer leaves out; nothing at all is an answer too', () => {
  const nothing = {
    children: undefined,
    status: undefined,
    conditions: undefined,
    events: [],
    requeueAfterMs: undefined,
    require: [],
    finalized: false,
  };
  for (const answer of [undefined, null, {}]) assert.deepEqual(parseAnswer(answer), nothing);
});

test('parseAnswer() takes children, stages, and children with more to say', () => {
  const { children, requeueAfterMs, events, status } = parseAnswer({
    children: [child, [{ object: child, after: [child] }], { object: child, asIs: true }],
    requeueAfter: '1m30s',
    events: [{ reason: 'Moved', message: 'It moved.' }],
    status: { kept: 1, removed: undefined },
  });
  assert.deepEqual(children, [
    child,
    [{ object: child, after: [child], asIs: false }],
    { object: child, after: [], asIs: true },
  ]);
  assert.equal(requeueAfterMs, 90_000);
  assert.deepEqual(events, [{ type: 'Normal', reason: 'Moved', message: 'It moved.' }]);
  assert.deepEqual(status, { kept: 1 });
});

test('parseAnswer() says which field is wrong, what it found and what it expected', () => {
  const wrong: readonly [unknown, RegExp][] = [
    ['done', /the answer: found "done", expected an object, or nothing/],
    [{ children: [1] }, /"children\[0\]" of the answer: found 1, expected a child/],
    [{ children: [[{ object: { kind: 'x' } }]] }, /"children\[0\]\[0\]\.object".*with apiVersion/],
    [
      { conditions: [{ type: 'Ready', status: true }] },
      /"conditions\[0\]".*expected a type, a sta/,
    ],
    [
      { events: [{ type: 'Error', reason: 'a', message: 'b' }] },
      /"events\[0\]".*Normal or Warning/,
    ],
    [{ requeueAfter: 'soon' }, /"requeueAfter" of the answer: found "soon", expected a duration/],
    [{ require: [{ kind: 'Secret' }] }, /"require\[0\]".*expected a kind, with a key or labels/],
    [{ status: [] }, /"status" of the answer: found \[\], expected an object/],
  ];
  for (const [answer, message] of wrong) {
    assert.throws(() => parseAnswer(answer), { code: 'InvalidAnswer', message });
  }
});
