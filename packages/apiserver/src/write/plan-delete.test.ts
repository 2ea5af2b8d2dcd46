import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject, ObjectMeta } from '@fnlet/machinery';
import { configMapStrategy } from '../builtins/config-map.ts';
import { podStrategy } from '../builtins/pod.ts';
import { planDelete } from './plan-delete.ts';

const now = Date.UTC(2026, 0, 1);

function object(metadata: Partial<ObjectMeta>, spec: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', ...metadata }, spec };
}

function markedBy(plan: ReturnType<typeof planDelete>): ObjectMeta {
  assert.ok(plan.kind === 'mark', plan.kind);
  return plan.object.metadata;
}

describe('planDelete()', () => {
  it('removes what nothing holds', () => {
    assert.deepEqual(planDelete(configMapStrategy, object({}), { now }), { kind: 'remove' });
  });

  it('marks what has finalizers and counts its generation', () => {
    const held = object({ finalizers: ['x/y'], generation: 4 });
    const marked = markedBy(planDelete(configMapStrategy, held, { now }));
    assert.equal(marked.deletionTimestamp, '2026-01-01T00:00:00Z');
    assert.equal(marked.deletionGracePeriodSeconds, 0);
    assert.equal(marked.generation, 5);
  });

  it('does not mark twice', () => {
    const going = object({ finalizers: ['x/y'], deletionTimestamp: '2026-01-01T00:00:00Z' });
    assert.deepEqual(planDelete(configMapStrategy, going, { now }), { kind: 'unchanged' });
  });

  it('turns the propagation policy into a finalizer, and drops the other', () => {
    const held = object({ finalizers: ['orphan', 'x/y'] });
    const foreground = planDelete(configMapStrategy, held, { now, propagation: 'Foreground' });
    assert.deepEqual(markedBy(foreground).finalizers, ['x/y', 'foregroundDeletion']);
    const background = planDelete(configMapStrategy, held, { now, propagation: 'Background' });
    assert.deepEqual(markedBy(background).finalizers, ['x/y']);
  });

  it('gives a running Pod its grace period', () => {
    const pod = object({}, { nodeName: 'n', terminationGracePeriodSeconds: 30 });
    const marked = markedBy(planDelete(podStrategy, pod, { now }));
    assert.equal(marked.deletionTimestamp, '2026-01-01T00:00:30Z');
    assert.equal(marked.deletionGracePeriodSeconds, 30);
  });

  it('removes a Pod at once that runs nowhere, or when asked to', () => {
    assert.equal(planDelete(podStrategy, object({}), { now }).kind, 'remove');
    const running = object({}, { nodeName: 'n' });
    const plan = planDelete(podStrategy, running, { now, gracePeriodSeconds: 0 });
    assert.equal(plan.kind, 'remove');
  });

  it('lets a second DELETE shorten the grace period, never lengthen it', () => {
    const deletionTimestamp = '2026-01-01T00:00:30Z';
    const going = object({ deletionTimestamp, deletionGracePeriodSeconds: 30 }, { nodeName: 'n' });
    const shorter = planDelete(podStrategy, going, { now, gracePeriodSeconds: 5 });
    assert.equal(markedBy(shorter).deletionTimestamp, '2026-01-01T00:00:05Z');
    const longer = planDelete(podStrategy, going, { now, gracePeriodSeconds: 60 });
    assert.equal(longer.kind, 'unchanged');
  });
});
