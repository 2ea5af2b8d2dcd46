import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { FollowedReplicas, readForeignReplicas, replicasAnnotation } from './foreign-replicas.ts';
import { clusterLimits } from './limits.ts';

function deployment(said: string | undefined, replicas: number | undefined): KubeObject {
  const annotations = said === undefined ? {} : { [replicasAnnotation]: said };
  const metadata = { name: 'hello-1', namespace: 'default', annotations };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
  return Object.assign(object, { spec: replicas === undefined ? {} : { replicas } });
}

test('readForeignReplicas() takes another number than Fnlet’s own for that of somebody else', () => {
  assert.deepEqual(readForeignReplicas(deployment('1', 3)), { replicas: 3, said: '1' });
  assert.deepEqual(readForeignReplicas(deployment('4', 1)), { replicas: 1, said: '4' });
});

test('readForeignReplicas() leaves to Fnlet what is its own, unknown, or to sleep', () => {
  const own = [deployment('3', 3), deployment('1', 0), deployment(undefined, 3)];
  for (const object of [...own, deployment('1', undefined), undefined]) {
    assert.equal(readForeignReplicas(object), undefined, JSON.stringify(object));
  }
});

const id = 'default/hello-1';

function follow(): {
  readonly clock: VirtualClock;
  readonly followed: FollowedReplicas;
  readonly changes: (number | undefined)[];
} {
  const clock = new VirtualClock();
  const changes: (number | undefined)[] = [];
  const followed: FollowedReplicas = new FollowedReplicas(clock, (revision) =>
    changes.push(followed.of(revision)),
  );
  return { clock, followed, changes };
}

test('more replicas are followed at once, and told of once', () => {
  const { followed, changes } = follow();
  followed.show(id, { replicas: 3, said: '1' }, 1);
  followed.show(id, { replicas: 3, said: '1' }, 3);
  assert.deepEqual(changes, [3]);
  followed.show(id, { replicas: 5, said: '1' }, 3);
  assert.deepEqual(changes, [3, 5]);
});

test('fewer are followed once whoever lowered the number has taken them away', async () => {
  const { clock, followed, changes } = follow();
  followed.show(id, { replicas: 5, said: '1' }, 1);
  followed.show(id, { replicas: 2, said: '1' }, 5);
  assert.equal(followed.of(id), 5);
  await clock.advance(clusterLimits.followDownMs - 1);
  assert.deepEqual(changes, [5]);
  await clock.advance(1);
  assert.deepEqual(changes, [5, 2]);
});

test('the first number of somebody else may be smaller than what there is', async () => {
  const { clock, followed, changes } = follow();
  followed.show(id, { replicas: 2, said: '4' }, 4);
  assert.equal(followed.of(id), 4);
  await clock.advance(clusterLimits.followDownMs);
  assert.deepEqual(changes, [2]);
});

test('who asks for more again before that is heard, and nothing is taken away', async () => {
  const { clock, followed, changes } = follow();
  followed.show(id, { replicas: 5, said: '1' }, 1);
  followed.show(id, { replicas: 2, said: '1' }, 5);
  followed.show(id, { replicas: 6, said: '1' }, 5);
  await clock.advance(clusterLimits.followDownMs * 2);
  assert.deepEqual(changes, [5, 6]);
});

test('a number that is Fnlet’s own again, and a Revision that sleeps, are followed no more', async () => {
  const { clock, followed, changes } = follow();
  followed.show(id, { replicas: 5, said: '1' }, 1);
  followed.show(id, undefined, 5);
  assert.deepEqual(changes, [5, undefined]);
  followed.show(id, { replicas: 5, said: '1' }, 1);
  followed.show(id, { replicas: 2, said: '1' }, 5);
  followed.forget(id);
  await clock.advance(clusterLimits.followDownMs);
  assert.deepEqual(changes, [5, undefined, 5]);
  assert.equal(followed.of(id), undefined);
});
