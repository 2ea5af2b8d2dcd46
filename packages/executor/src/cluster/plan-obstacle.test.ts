import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AwaitedPod, type ObstacleQuestion, planObstacle } from './plan-obstacle.ts';
import type { TroubledPod } from './pod-trouble.ts';

type Status = NonNullable<TroubledPod['status']>;

function awaited(status: Status, rest: Partial<AwaitedPod> = {}): AwaitedPod {
  const metadata = { name: 'hello-1', namespace: 'default' };
  return { pod: { apiVersion: 'v1', kind: 'Pod', metadata, status }, forMs: 0, ...rest };
}

function plan(question: Partial<ObstacleQuestion>): readonly string[] {
  const obstacle = planObstacle({ isOwn: true, pods: [], ...question });
  return obstacle === undefined ? [] : [obstacle.reason, obstacle.message];
}

const placed: Status = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'True' }],
  containerStatuses: [{ name: 'function', state: { waiting: { reason: 'ContainerCreating' } } }],
};
const unplaced: Status = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available.' }],
};
const running: Status = {
  phase: 'Running',
  containerStatuses: [{ name: 'function', state: { running: {} } }],
};
const evicted: Status = {
  phase: 'Failed',
  reason: 'Evicted',
  message: 'The node was low on memory',
};

test('nothing stands in the way of Pods that come, or of none', () => {
  assert.deepEqual(plan({}), []);
  assert.deepEqual(plan({ pods: [awaited(placed)] }), []);
  assert.deepEqual(plan({ pods: [awaited(running)] }), []);
});

test('what is in the way is told with what to do about it, as sentences', () => {
  assert.deepEqual(plan({ pods: [awaited(unplaced)] }), [
    'Unschedulable',
    'No node takes its Pod: 0/1 nodes are available. ' +
      'Ask for less in spec.resources, look at spec.pod, or add nodes',
  ]);
  const [reason, message = ''] = plan({ isOwn: false, pods: [awaited(unplaced)] });
  assert.equal(reason, 'Unschedulable');
  assert.match(message, /Make room for warm Pods, or add nodes$/);
});

test('a refusal of the API comes before all else, and Pods before why there are not more', () => {
  const question = { refusal: 'a webhook denied it', failedCreate: 'exceeded quota' };
  assert.match(plan({ ...question, pods: [awaited(unplaced)] })[1] ?? '', /a webhook denied it/);
  const { failedCreate } = question;
  assert.equal(plan({ failedCreate, pods: [awaited(unplaced)] })[0], 'Unschedulable');
  const [reason, message = ''] = plan({ failedCreate, pods: [awaited(placed)] });
  assert.equal(reason, 'FailedCreate');
  assert.match(message, /exceeded quota\. Change what it names/);
});

test('a Pod that a node has ended counts while no other one follows', () => {
  assert.equal(plan({ pods: [awaited(evicted)] })[0], 'PodFailed');
  assert.deepEqual(plan({ pods: [awaited(evicted), awaited(placed)] }), []);
  assert.equal(plan({ pods: [awaited(evicted), awaited(unplaced)] })[0], 'Unschedulable');
});

const late = { forMs: 10_000 };

test('a Pod that runs and says nothing is told of after a while', () => {
  assert.deepEqual(plan({ pods: [awaited(running, { forMs: 9_999 })] }), []);
  const [reason, message = ''] = plan({ pods: [awaited(running, late)] });
  assert.equal(reason, 'RunnerNotConnected');
  assert.match(message, /Pod default\/hello-1 runs, and has said nothing.*port 8443/);
});

const complaints: readonly (readonly [string, string | undefined])[] = [
  ['FailedMount', 'FailedMount'],
  ['FailedAttachVolume', 'FailedMount'],
  ['FailedCreatePodSandBox', 'FailedCreatePodSandBox'],
  ['Unhealthy', undefined],
];

for (const [reason, expected] of complaints) {
  test(`a Pod that takes long is asked about by its Events: ${reason}`, () => {
    const complaint = { reason, message: 'secret "keys" not found' };
    const [found, message = ''] = plan({ pods: [awaited(placed, { ...late, complaint })] });
    assert.equal(found, expected);
    if (expected !== undefined) assert.match(message, /secret "keys" not found\. /);
    assert.deepEqual(plan({ pods: [awaited(placed, { complaint })] }), [], 'not before');
  });
}
