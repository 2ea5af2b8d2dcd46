import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodObject } from './connection.ts';
import { planPodLog, restartsOf } from './pod-log.ts';

type ContainerStatus = NonNullable<NonNullable<PodObject['status']>['containerStatuses']>[number];

function pod(
  containers: readonly string[],
  status: NonNullable<PodObject['status']> = { phase: 'Running' },
): PodObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' } },
    spec: { containers: containers.map((name) => ({ name })) },
    status,
  };
}

function running(status: Partial<ContainerStatus> = {}): NonNullable<PodObject['status']> {
  return {
    phase: 'Running',
    containerStatuses: [
      { name: 'proxy', restartCount: 7 },
      { name: 'function', restartCount: 0, ...status },
    ],
  };
}

const now = { previous: false };

test("planPodLog() reads the function's container among those that others added", () => {
  assert.deepEqual(planPodLog(pod(['function']), now), { kind: 'read', container: undefined });
  const mesh = pod(['proxy', 'function'], running());
  assert.deepEqual(planPodLog(mesh, now), { kind: 'read', container: 'function' });
  const foreign = pod(['one', 'two']);
  assert.deepEqual(planPodLog(foreign, now), { kind: 'read', container: 'one' });
});

test('planPodLog() says why a Pod has no log yet', () => {
  const waiting = running({ state: { waiting: { reason: 'ImagePullBackOff' } } });
  const plan = planPodLog(pod(['proxy', 'function'], waiting), now);
  assert.deepEqual(plan, { kind: 'none', why: 'it has not started: ImagePullBackOff' });
  const message = '0/3 nodes are available: 3 Insufficient memory.';
  const unscheduled = pod(['function'], {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  });
  assert.deepEqual(planPodLog(unscheduled, now), {
    kind: 'none',
    why: `it has not started: ${message}`,
  });
});

test('planPodLog() reads what a container wrote that crashes, and a Pod that has ended', () => {
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const crashing = pod(['proxy', 'function'], running({ state, restartCount: 3 }));
  assert.equal(planPodLog(crashing, now).kind, 'read');
  assert.equal(planPodLog(pod(['function'], { phase: 'Failed' }), now).kind, 'read');
});

test('planPodLog() knows a run before only after a restart', () => {
  const fresh = planPodLog(pod(['proxy', 'function'], running()), { previous: true });
  assert.equal(fresh.kind, 'none');
  const restarted = pod(['proxy', 'function'], running({ restartCount: 1 }));
  assert.deepEqual(planPodLog(restarted, { previous: true }), {
    kind: 'read',
    container: 'function',
  });
  assert.equal(restartsOf(restarted), 1);
});
