import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorObject } from '@fnlet/api';
import type { Condition } from '@fnlet/machinery';
import { decideOperatorRollout } from './operator-rollout.ts';

function operatorWith(...conditions: readonly Partial<Condition>[]): OperatorObject {
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Operator',
    metadata: { name: 'sites', namespace: 'default', generation: 2 },
    spec: {
      for: { apiVersion: 'example.dev/v1', kind: 'Site' },
      reconcile: { function: 'sites' },
      concurrency: 10,
      deadline: '10s',
      resync: '10h',
    },
    status: {
      conditions: conditions.map((one) => ({
        ...{ type: 'Ready', status: 'False', reason: 'R', message: '', lastTransitionTime: '' },
        ...{ observedGeneration: 2, ...one },
      })),
    },
  };
}

const cases: readonly (readonly [string, readonly Partial<Condition>[], object])[] = [
  ['nothing was said yet', [], { kind: 'progressing', step: 'waiting for the hub' }],
  ['it is ready', [{ status: 'True' }], { kind: 'ready' }],
  [
    'what was said is about an older generation',
    [{ status: 'True', observedGeneration: 1 }],
    { kind: 'progressing', step: 'waiting for the hub' },
  ],
  [
    'no waiting helps',
    [{ reason: 'InvalidSpec', message: 'spec.when is none' }],
    { kind: 'failed', reason: 'InvalidSpec', message: 'spec.when is none' },
  ],
  [
    'a permission may come yet',
    [
      { reason: 'PermissionMissing' },
      { type: 'KindsServed', status: 'True' },
      { type: 'PermissionsGranted', reason: 'PermissionMissing', message: 'add a rule' },
    ],
    { kind: 'progressing', step: 'PermissionMissing: add a rule' },
  ],
  [
    'it starts',
    [{ status: 'Unknown', reason: 'Starting' }],
    { kind: 'progressing', step: 'Starting' },
  ],
];

for (const [name, conditions, rollout] of cases) {
  test(`decideOperatorRollout() when ${name}`, () => {
    assert.deepEqual(decideOperatorRollout(operatorWith(...conditions)), rollout);
  });
}
