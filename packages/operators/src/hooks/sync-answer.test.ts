import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOperatorAnswer } from '@fnlet/sdk/operator-wire';
import { answerOfHook } from './sync-answer.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', labels: { app: 'a' } },
  spec: { restartPolicy: 'Never' },
};
// As a hook gives it back that changes one field of what it was sent.
const copied = {
  ...pod,
  metadata: {
    ...pod.metadata,
    ...{ uid: 'u', resourceVersion: '7', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    ...{ managedFields: [], ownerReferences: [], namespace: null },
  },
  status: { phase: 'Running' },
};

const rows: readonly (readonly [name: string, answer: object, read: object])[] = [
  ['children', { children: [pod] }, { children: [pod] }],
  ['nothing, which is no children', {}, { children: [] }],
  ['null, as Go writes an empty list', { children: null, status: null }, { children: [] }],
  ['a child that was copied', { children: [copied] }, { children: [pod] }],
  ['a status', { status: { replicas: 2 } }, { children: [], status: { replicas: 2 } }],
  [
    'a status with conditions, whose times and generations are kept by others',
    {
      status: {
        observedGeneration: 4,
        phase: 'Up',
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: 'then', observedGeneration: 3 },
        ],
      },
    },
    {
      children: [],
      status: { phase: 'Up' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  ],
  ['when to look again', { resyncAfterSeconds: 1.5 }, { children: [], requeueAfter: '1500ms' }],
  ['not to look again', { resyncAfterSeconds: 0 }, { children: [] }],
  ['finalized, of a sync', { finalized: true }, { children: [] }],
];

for (const [name, answer, read] of rows) {
  test(`answerOfHook() reads ${name}`, () => {
    const found = answerOfHook(answer, { style: 'Composite', what: 'reconcile' });
    assert.deepEqual(found, read);
    assert.deepEqual(parseOperatorAnswer(found), read);
  });
}

test('answerOfHook() reads whether a finalize is done', () => {
  const read = (answer: object): unknown =>
    answerOfHook(answer, { style: 'Composite', what: 'cleanup' }).finalized;
  assert.deepEqual(
    [read({ finalized: true }), read({ finalized: false }), read({})],
    [...[true, false, false]],
  );
});

test('answerOfHook() of a DecoratorController reads attachments, and refuses marks on the object', () => {
  const decorator = { style: 'Decorator', what: 'reconcile' } as const;
  assert.deepEqual(answerOfHook({ attachments: [pod], labels: {} }, decorator), {
    children: [pod],
  });
  assert.throws(() => answerOfHook({ annotations: { a: 'b' } }, decorator), {
    code: 'InvalidAnswer',
    message: /^Cannot write annotations of the object: found {"a":"b"}/,
  });
});

test('answerOfHook() says what is no answer', () => {
  const composite = { style: 'Composite', what: 'reconcile' } as const;
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ['ok', /Cannot read the answer of the hook: found "ok", expected an object/],
    [{ children: {} }, /"children" of the answer of the hook: found {}, expected a list/],
    [{ resyncAfterSeconds: '5' }, /"resyncAfterSeconds" .* found "5", expected a number/],
  ];
  for (const [answer, message] of wrong) {
    assert.throws(() => answerOfHook(answer, composite), { code: 'InvalidAnswer', message });
  }
});
