import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { isReady } from './readiness.ts';

function object(apiVersion: string, kind: string, rest: object): KubeObject {
  return { apiVersion, kind, metadata: { name: 'a', generation: 2 }, ...rest };
}

const rolledOut = {
  observedGeneration: 2,
  replicas: 2,
  updatedReplicas: 2,
  availableReplicas: 2,
  readyReplicas: 2,
};
const condition = (type: string, status: string): object => ({ conditions: [{ type, status }] });

const cases: readonly [string, KubeObject, boolean][] = [
  [
    'Deployment',
    object('apps/v1', 'Deployment', { spec: { replicas: 2 }, status: rolledOut }),
    true,
  ],
  ['Deployment without status', object('apps/v1', 'Deployment', { spec: {} }), false],
  [
    'Deployment with a status of old',
    object('apps/v1', 'Deployment', {
      spec: { replicas: 2 },
      status: { ...rolledOut, observedGeneration: 1 },
    }),
    false,
  ],
  [
    'Deployment with old Pods left',
    object('apps/v1', 'Deployment', {
      spec: { replicas: 2 },
      status: { ...rolledOut, replicas: 3 },
    }),
    false,
  ],
  [
    'Deployment asleep',
    object('apps/v1', 'Deployment', { spec: { replicas: 0 }, status: { observedGeneration: 2 } }),
    true,
  ],
  [
    'StatefulSet',
    object('apps/v1', 'StatefulSet', {
      spec: { replicas: 2 },
      status: { ...rolledOut, currentRevision: 'b', updateRevision: 'b' },
    }),
    true,
  ],
  [
    'StatefulSet on its way',
    object('apps/v1', 'StatefulSet', {
      spec: { replicas: 2 },
      status: { ...rolledOut, currentRevision: 'a', updateRevision: 'b' },
    }),
    false,
  ],
  [
    'StatefulSet that is replaced by hand',
    object('apps/v1', 'StatefulSet', {
      spec: { replicas: 2, updateStrategy: { type: 'OnDelete' } },
      status: { ...rolledOut, currentRevision: 'a', updateRevision: 'b' },
    }),
    true,
  ],
  [
    'StatefulSet up to its partition',
    object('apps/v1', 'StatefulSet', {
      spec: { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
      status: { ...rolledOut, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
    }),
    true,
  ],
  [
    'DaemonSet',
    object('apps/v1', 'DaemonSet', {
      status: {
        observedGeneration: 2,
        desiredNumberScheduled: 1,
        updatedNumberScheduled: 1,
        numberAvailable: 1,
      },
    }),
    true,
  ],
  [
    'DaemonSet on its way',
    object('apps/v1', 'DaemonSet', {
      status: { observedGeneration: 2, desiredNumberScheduled: 1, updatedNumberScheduled: 1 },
    }),
    false,
  ],
  ['Job at work', object('batch/v1', 'Job', { status: { active: 1 } }), false],
  ['Job', object('batch/v1', 'Job', { status: condition('Complete', 'True') }), true],
  ['failed Job', object('batch/v1', 'Job', { status: condition('Failed', 'True') }), false],
  ['Pod', object('v1', 'Pod', { status: condition('Ready', 'True') }), true],
  ['Pod that starts', object('v1', 'Pod', { status: { phase: 'Running' } }), false],
  ['Pod that is done', object('v1', 'Pod', { status: { phase: 'Succeeded' } }), true],
  ['claim', object('v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }), true],
  [
    'claim that waits',
    object('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }),
    false,
  ],
  ['Namespace that goes', object('v1', 'Namespace', { status: { phase: 'Terminating' } }), false],
  [
    'definition',
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      status: condition('Established', 'True'),
    }),
    true,
  ],
  [
    'definition that is new',
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {}),
    false,
  ],
  ['ConfigMap', object('v1', 'ConfigMap', {}), true],
  ['custom resource', object('e.com/v1', 'Any', { status: condition('Ready', 'True') }), true],
  [
    'custom resource at work',
    object('e.com/v1', 'Any', { status: condition('Ready', 'Unknown') }),
    false,
  ],
  [
    'custom resource whose condition is old',
    object('e.com/v1', 'Any', {
      status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
    }),
    false,
  ],
  ['broken status', object('e.com/v1', 'Any', { status: { conditions: 'no' } }), true],
];

for (const [what, live, expected] of cases) {
  test(`a ${what} is ${expected ? '' : 'not '}ready`, () => {
    assert.equal(isReady(live), expected);
  });
}

test('what is being deleted is not ready', () => {
  const going = object('v1', 'ConfigMap', {});
  const metadata = { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  assert.equal(isReady({ ...going, metadata }), false);
});
