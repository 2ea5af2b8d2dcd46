import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectMeta } from '@fnlet/machinery';
import { OwnerGraph } from './owner-graph.ts';

const owner = { apiVersion: 'v1', kind: 'X', name: 'o', uid: 'owner' };

function put(graph: OwnerGraph, uid: string, metadata: Partial<ObjectMeta> = {}): void {
  const meta = { name: uid, namespace: 'n', uid, ...metadata };
  graph.put(`objects/core/xs/n/${uid}`, { apiVersion: 'v1', kind: 'X', metadata: meta });
}

describe('OwnerGraph', () => {
  it('tells of an object that nobody owns where it is', () => {
    const graph = new OwnerGraph();
    put(graph, 'a');
    assert.deepEqual(graph.get('a'), {
      uid: 'a',
      storeKey: 'objects/core/xs/n/a',
      namespace: 'n',
      name: 'a',
      owners: [],
      isDeleting: false,
      finalizers: [],
    });
    graph.remove('a');
    assert.equal(graph.get('a'), undefined);
  });

  it('follows an object that gets an owner and loses it again', () => {
    const graph = new OwnerGraph();
    const dependents = (): readonly string[] => graph.dependents('owner').map(({ uid }) => uid);
    put(graph, 'a');
    assert.deepEqual(dependents(), []);
    put(graph, 'a', { ownerReferences: [owner] });
    assert.deepEqual(dependents(), ['a']);
    assert.deepEqual(graph.get('a')?.owners, [owner]);
    put(graph, 'a');
    assert.deepEqual(dependents(), []);
    assert.deepEqual(graph.get('a')?.owners, []);
  });

  it('knows what holds an object that nobody owns', () => {
    const graph = new OwnerGraph();
    put(graph, 'a', { finalizers: ['orphan'] });
    assert.deepEqual(graph.get('a')?.finalizers, ['orphan']);
    put(graph, 'a', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    assert.equal(graph.get('a')?.isDeleting, true);
  });

  it('remembers that an owner has gone for as long as somebody names it', () => {
    const graph = new OwnerGraph();
    put(graph, 'owner');
    put(graph, 'a', { ownerReferences: [owner] });
    graph.remove('owner');
    assert.equal(graph.isGone('owner'), true);
    graph.remove('a');
    assert.equal(graph.isGone('owner'), false);
  });
});
