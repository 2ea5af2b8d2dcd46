import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPodTrouble, type TroubledPod } from './pod-trouble.ts';

const unplaced = '0/3 nodes are available: 3 Insufficient memory.';

const cases: readonly (readonly [string, TroubledPod['status'], string | undefined, boolean])[] = [
  ['nothing is known yet', undefined, undefined, false],
  [
    'it starts',
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
    undefined,
    false,
  ],
  [
    'no node has room',
    {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', message: unplaced }],
    },
    unplaced,
    false,
  ],
  [
    'its volumes and images are coming',
    {
      phase: 'Pending',
      containerStatuses: [{ name: 'a', state: { waiting: { reason: 'ContainerCreating' } } }],
    },
    undefined,
    false,
  ],
  [
    'its image is not there',
    {
      phase: 'Pending',
      initContainerStatuses: [
        { name: 'a', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
      ],
      containerStatuses: [{ name: 'b', state: { waiting: { reason: 'PodInitializing' } } }],
    },
    'ImagePullBackOff: no such image',
    false,
  ],
  [
    'a container was killed',
    {
      phase: 'Failed',
      initContainerStatuses: [
        { name: 'install', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } },
      ],
    },
    'its container install ended with 137 (OOMKilled)',
    true,
  ],
  [
    'it took too long',
    { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active on the node too long' },
    'DeadlineExceeded: Pod was active on the node too long',
    true,
  ],
  ['it was done', { phase: 'Succeeded' }, undefined, true],
];

for (const [what, status, message, isOver] of cases) {
  test(`findPodTrouble(): ${what}`, () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const found = findPodTrouble(status === undefined ? pod : { ...pod, status });
    assert.deepEqual(found, { message, isOver });
  });
}
