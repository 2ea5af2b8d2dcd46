import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findExit, findPodTrouble, isPlaced, isRunning, type TroubledPod } from './pod-trouble.ts';

const unplaced = '0/3 nodes are available: 3 Insufficient memory.';

type Expected = readonly [reason: string | undefined, message: string | undefined, over: boolean];

const cases: readonly (readonly [string, TroubledPod['status'], Expected])[] = [
  ['nothing is known yet', undefined, [undefined, undefined, false]],
  [
    'it starts',
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
    [undefined, undefined, false],
  ],
  [
    'no node has room',
    {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', message: unplaced }],
    },
    ['Unschedulable', unplaced, false],
  ],
  [
    'its volumes and images are coming',
    {
      phase: 'Pending',
      containerStatuses: [{ name: 'a', state: { waiting: { reason: 'ContainerCreating' } } }],
    },
    [undefined, undefined, false],
  ],
  ...['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'].map(
    (reason): (typeof cases)[number] => [
      `its image is not there: ${reason}`,
      {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'a', state: { waiting: { reason, message: 'no such image' } } },
        ],
        containerStatuses: [{ name: 'b', state: { waiting: { reason: 'PodInitializing' } } }],
      },
      ['ImagePullBackOff', `${reason}: no such image`, false],
    ],
  ),
  [
    'its container cannot be made',
    {
      phase: 'Pending',
      containerStatuses: [
        { name: 'a', state: { waiting: { reason: 'RunContainerError', message: 'no node' } } },
      ],
    },
    ['CreateContainerError', 'RunContainerError: no node', false],
  ],
  [
    'its container ends again and again, with its last words and without the seconds',
    {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'function',
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting' } },
          lastState: { terminated: { exitCode: 127, reason: 'Error', message: 'no node\n' } },
        },
      ],
    },
    [
      'CrashLoopBackOff',
      'its container function ended with 127 (Error). It said last:\nno node',
      false,
    ],
  ],
  [
    'its container ends again and again, and nobody knows how',
    {
      phase: 'Running',
      containerStatuses: [
        { name: 'a', state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } } },
      ],
    },
    ['CrashLoopBackOff', 'CrashLoopBackOff: back-off 10s', false],
  ],
  [
    'a container was killed',
    {
      phase: 'Failed',
      initContainerStatuses: [
        { name: 'install', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } },
      ],
    },
    ['PodFailed', 'its container install ended with 137 (OOMKilled)', true],
  ],
  [
    'it took too long',
    { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active on the node too long' },
    ['PodFailed', 'DeadlineExceeded: Pod was active on the node too long', true],
  ],
  ['it was done', { phase: 'Succeeded' }, ['PodFailed', undefined, true]],
];

function pod(status: TroubledPod['status']): TroubledPod {
  const found = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  return status === undefined ? found : { ...found, status };
}

for (const [what, status, [reason, message, isOver]] of cases) {
  test(`findPodTrouble(): ${what}`, () => {
    assert.deepEqual(findPodTrouble(pod(status)), { reason, message, isOver });
  });
}

test('what a container has said is told to its end, and no more of it than a status can hold', () => {
  const message = `${'x'.repeat(2_000)} the reason`;
  const terminated = { exitCode: 1, message };
  const said = findPodTrouble(
    pod({ phase: 'Failed', containerStatuses: [{ name: 'a', state: { terminated } }] }),
  ).message;
  assert.match(said ?? '', /the reason$/);
  assert.ok((said ?? '').length < 600);
});

test('a Pod runs when all of its containers do', () => {
  const running = { name: 'a', state: { running: {} } };
  const waiting = { name: 'b', state: { waiting: { reason: 'CrashLoopBackOff' } } };
  assert.ok(isRunning(pod({ phase: 'Running', containerStatuses: [running] })));
  assert.ok(!isRunning(pod({ phase: 'Running', containerStatuses: [running, waiting] })));
  assert.ok(!isRunning(pod({ phase: 'Pending', containerStatuses: [] })));
  assert.ok(isPlaced(pod({ conditions: [{ type: 'PodScheduled', status: 'True' }] })));
  assert.ok(!isPlaced(pod({})));
});

test('findExit() tells how the container ended, and what it wrote last', () => {
  const end = { exitCode: 3, reason: 'Error', message: `${'x'.repeat(600)}\nno database\n` };
  const told = findExit(
    pod({ containerStatuses: [{ name: 'function', state: { terminated: end } }] }),
  );
  assert.deepEqual([told?.code, told?.outOfMemory], [3, undefined]);
  assert.match(told?.said ?? '', /^x+\nno database$/);
  assert.equal(told?.said?.length, 500);
  const waits = { waiting: { reason: 'CrashLoopBackOff' } };
  const killed = { exitCode: 137, reason: 'OOMKilled' };
  const again = { name: 'function', state: waits, lastState: { terminated: killed } };
  assert.deepEqual(findExit(pod({ containerStatuses: [again] })), {
    ...{ code: 137, signal: null, outOfMemory: true },
  });
  const runs = { name: 'function', state: { running: {} }, lastState: { terminated: killed } };
  assert.equal(findExit(pod({ containerStatuses: [runs] })), undefined);
});

test('findExit() looks at the Runner, and at no container that somebody has put beside it', () => {
  const beside = { name: 'agent', state: { terminated: { exitCode: 1 } } };
  const runs = { name: 'function', state: { running: {} } };
  assert.equal(findExit(pod({ containerStatuses: [beside, runs] })), undefined);
});

test('findExit() goes by the Pod where its node did not say how the container ended', () => {
  const status = { phase: 'Failed', reason: 'Terminated', message: 'The node shut down.' };
  assert.deepEqual(findExit(pod({ ...status, containerStatuses: [] })), {
    ...{ code: null, signal: null, said: 'Terminated: The node shut down.' },
  });
});
