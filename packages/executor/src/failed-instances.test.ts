import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionFixture } from '../test/revision-fixture.ts';
import type { Instance, InstancePhase } from './executor.ts';
import { FailedInstances, podKeyOf } from './failed-instances.ts';
import { limits } from './limits.ts';

function instance(revision: string, id: string, phase: InstancePhase = 'stopped'): Instance {
  return {
    id: `${revision}-${id}`,
    revision: revisionFixture({ revision, function: revision.split('-')[0] ?? '' }),
    phase,
    address: undefined,
    pid: undefined,
    createdAtMs: 0,
    readyAtMs: undefined,
    restarts: 0,
    lastExit: undefined,
  };
}

test('FailedInstances has the newest of each Function', () => {
  const failed = new FailedInstances();
  const [first, second, other] = [
    instance('a-1', 'x'),
    instance('a-2', 'y'),
    instance('b-1', 'z'),
  ] as const;
  assert.deepEqual(failed.add(first, []), []);
  assert.deepEqual(failed.add(other, []), []);
  assert.deepEqual(failed.add(second, []), [podKeyOf(first)]);
  assert.equal(failed.get(podKeyOf(first)), undefined);
  assert.equal(failed.get(podKeyOf(second)), second);
  failed.forget(podKeyOf(second));
  assert.equal(failed.get(podKeyOf(second)), undefined);
  assert.equal(failed.get(podKeyOf(other)), other);
});

test('one that failed goes when its Revision runs, or one that comes after it', () => {
  const failing = instance('a-2', 'x');
  const add = (): FailedInstances => {
    const failed = new FailedInstances();
    failed.add(failing, [instance('a-1', 'old', 'ready'), instance('b-1', 'other', 'ready')]);
    return failed;
  };
  assert.equal(add().onReady(instance('a-1', 'more', 'ready')), undefined);
  assert.equal(add().onReady(instance('b-1', 'more', 'ready')), undefined);
  assert.equal(add().onReady(instance('a-2', 'again', 'ready')), podKeyOf(failing));
  assert.equal(add().onReady(instance('a-3', 'mended', 'ready')), podKeyOf(failing));
});

test('FailedInstances is bounded: the oldest goes', () => {
  const failed = new FailedInstances();
  const all = Array.from({ length: limits.failedPodsMax + 1 }, (_, i) => instance(`f${i}-1`, 'x'));
  const gone = all.flatMap((one) => failed.add(one, []));
  assert.deepEqual(gone, [podKeyOf(all[0] ?? instance('none-1', 'x'))]);
});
