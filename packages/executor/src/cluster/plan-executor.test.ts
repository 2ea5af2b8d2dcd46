import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExecutorQuestion, planExecutor } from './plan-executor.ts';

const needs: readonly (readonly [string, ExecutorQuestion])[] = [
  ['spec.mounts', { mounts: [{ secret: 'a', path: '/a' }] }],
  ['spec.serviceAccountName', { serviceAccountName: 'worker' }],
  ['spec.resources', { resources: { limits: { memory: '64Mi' } } }],
  ['spec.resources', { resources: { profile: 'S' } }],
  ['spec.imageOverride', { imageOverride: 'registry.example/tools' }],
  ['spec.pod', { pod: { runtimeClassName: 'gvisor' } }],
];

test('planExecutor() takes a pool for what needs nothing of its own', () => {
  const nothing: readonly ExecutorQuestion[] = [
    {},
    { executor: 'auto' },
    { executor: 'pool' },
    { mounts: [], resources: {}, pod: {} },
  ];
  for (const question of nothing) assert.equal(planExecutor(question).kind, 'pool');
});

test('planExecutor() takes a Deployment where it is asked for, and says so', () => {
  const { kind, message } = planExecutor({ executor: 'deployment' });
  assert.equal(kind, 'deployment');
  assert.match(message, /as spec.executor says/);
});

test('planExecutor() gives what is developed a pool of its own where it would have Deployments', () => {
  const development = true;
  const kindOf = (question: ExecutorQuestion): string =>
    planExecutor({ ...question, development }).kind;
  assert.equal(kindOf({}), 'pool');
  assert.equal(kindOf({ executor: 'pool' }), 'pool');
  assert.equal(kindOf({ executor: 'deployment' }), 'ownPool');
  for (const [, question] of needs) {
    assert.equal(kindOf(question), 'ownPool');
    assert.equal(kindOf({ ...question, executor: 'pool' }), 'unfit');
  }
});

for (const [name, question] of needs) {
  test(`planExecutor() gives ${JSON.stringify(question)} a Deployment, and says why`, () => {
    for (const executor of [undefined, 'auto'] as const) {
      const choice = planExecutor({ ...question, executor });
      assert.deepEqual(
        [choice.kind, choice.message.endsWith(`take ${name}`)],
        ['deployment', true],
      );
    }
  });

  test(`planExecutor() refuses ${JSON.stringify(question)} in a pool`, () => {
    const { kind, message } = planExecutor({ ...question, executor: 'pool' });
    assert.equal(kind, 'unfit');
    assert.ok(message.includes(`found ${name}, expected`), message);
  });
}

test('planExecutor() names all that a pool cannot take', () => {
  const all = Object.assign({}, ...needs.map(([, question]) => question));
  assert.match(
    planExecutor(all).message,
    /spec.mounts, spec.serviceAccountName, spec.resources, spec.imageOverride, spec.pod$/,
  );
});
