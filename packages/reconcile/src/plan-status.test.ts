import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planStatus } from './plan-status.ts';

const about = { generation: 2, now: '2026-01-01T00:00:10Z' };

const current = {
  observedGeneration: 2,
  url: 'http://a',
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      observedGeneration: 2,
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
} as const;

test('planStatus() writes nothing when everything is said already', () => {
  const update = {
    fields: { url: 'http://a', replicas: null },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }],
  } as const;
  assert.equal(planStatus(current, update, about), undefined);
  assert.equal(planStatus(current, {}, about), undefined);
});

test('planStatus() says nothing about conditions when there are none', () => {
  assert.equal(planStatus({ observedGeneration: 2 }, {}, about), undefined);
});

test('planStatus() names only the fields that differ', () => {
  assert.deepEqual(planStatus(current, { fields: { url: 'http://b', replicas: 0 } }, about), {
    url: 'http://b',
    replicas: 0,
  });
});

test('planStatus() removes a field with null', () => {
  assert.deepEqual(planStatus(current, { fields: { url: null } }, about), { url: null });
});

test('planStatus() moves the transition time with the status only', () => {
  const reason = planStatus(
    current,
    { conditions: [{ type: 'Ready', status: 'True', reason: 'Other', message: '' }] },
    about,
  );
  assert.deepEqual(reason?.conditions, [
    { ...current.conditions[0], reason: 'Other', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]);
  const status = planStatus(
    current,
    { conditions: [{ type: 'Ready', status: 'False', reason: 'Other', message: '' }] },
    about,
  );
  assert.deepEqual(status?.conditions, [
    {
      ...current.conditions[0],
      status: 'False',
      reason: 'Other',
      lastTransitionTime: about.now,
    },
  ]);
});

test('planStatus() stamps the generation that was read', () => {
  assert.deepEqual(planStatus(undefined, {}, about), { observedGeneration: 2 });
  const newer = planStatus(
    current,
    { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }] },
    { ...about, generation: 3 },
  );
  assert.equal(newer?.observedGeneration, 3);
});
