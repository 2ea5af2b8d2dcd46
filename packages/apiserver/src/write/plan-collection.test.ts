import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectMeta } from '@fnlet/machinery';
import { OwnerGraph } from './owner-graph.ts';
import { planCollection } from './plan-collection.ts';

interface Place extends Partial<ObjectMeta> {
  readonly owners?: readonly string[];
  readonly blocking?: boolean;
}

function graphOf(objects: Readonly<Record<string, Place>>): OwnerGraph {
  const graph = new OwnerGraph();
  for (const [uid, { owners = [], blocking = false, ...metadata }] of Object.entries(objects)) {
    const ownerReferences = owners.map((owner) => ({
      apiVersion: 'v1',
      kind: 'X',
      name: owner,
      uid: owner,
      blockOwnerDeletion: blocking,
    }));
    const meta = { name: uid, namespace: 'n', uid, ownerReferences, ...metadata };
    const place = meta.namespace === '' ? uid : `${meta.namespace}/${uid}`;
    graph.put(`objects/core/xs/${place}`, { apiVersion: 'v1', kind: 'X', metadata: meta });
  }
  return graph;
}

function steps(graph: OwnerGraph, uid: string, isServed = true): readonly string[] {
  return planCollection(graph, uid, () => isServed).map((step) => {
    const detail = step.kind === 'delete' ? step.propagation : '';
    return `${step.kind} ${step.node.name} ${detail}`.trim();
  });
}

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const foreground = { ...going, finalizers: ['foregroundDeletion'] };

describe('planCollection()', () => {
  it('leaves what has an owner, or never had one', () => {
    assert.deepEqual(steps(graphOf({ a: {}, b: { owners: ['a'] } }), 'b'), []);
    assert.deepEqual(steps(graphOf({ a: {} }), 'a'), []);
  });

  it('deletes what has lost its last owner', () => {
    assert.deepEqual(steps(graphOf({ b: { owners: ['a', 'c'] } }), 'b'), ['delete b Background']);
  });

  it('forgets one of several owners', () => {
    assert.deepEqual(steps(graphOf({ a: {}, b: { owners: ['a', 'gone'] } }), 'b'), ['disown b']);
  });

  it('keeps what is owned by a kind that is not served, until it saw that owner go', () => {
    const graph = graphOf({ b: { owners: ['a'] } });
    assert.deepEqual(steps(graph, 'b', false), []);
    const left = graphOf({ a: {}, b: { owners: ['a'] } });
    left.remove('a');
    assert.deepEqual(steps(left, 'b', false), ['delete b Background']);
  });

  it('takes an owner in another namespace for none', () => {
    const graph = graphOf({ a: { namespace: 'other' }, b: { owners: ['a'] } });
    assert.deepEqual(steps(graph, 'b'), ['delete b Background']);
  });

  it('takes an owner in no namespace for one of all', () => {
    const graph = graphOf({ a: { namespace: '' }, b: { owners: ['a'] } });
    assert.deepEqual(steps(graph, 'b'), []);
  });

  it('makes a foreground owner wait only for those who block it', () => {
    const blocked = graphOf({ a: foreground, b: { owners: ['a'], blocking: true } });
    assert.deepEqual(steps(blocked, 'a'), []);
    assert.deepEqual(steps(blocked, 'b'), ['delete b Background']);
    const free = graphOf({ a: foreground, b: { owners: ['a'] } });
    assert.deepEqual(steps(free, 'a'), ['release a']);
  });

  it('orphans before it releases', () => {
    const graph = graphOf({ a: { ...going, finalizers: ['orphan'] }, b: { owners: ['a'] } });
    assert.deepEqual(steps(graph, 'a'), ['disown b', 'release a']);
  });

  it('breaks a cycle of owners that wait for each other', () => {
    const graph = graphOf({
      a: { ...foreground, owners: ['b'], blocking: true },
      b: { owners: ['a'], blocking: true },
    });
    assert.deepEqual(steps(graph, 'b'), ['unblock b', 'delete b Foreground']);
  });
});
