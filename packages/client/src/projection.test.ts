import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseProjection, projectValue, withoutManagedFields } from './projection.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web' },
    annotations: { 'example.com/owner': 'me', other: 'x' },
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: { replicas: 2, nodeName: 'n' },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True', reason: 'r' },
      { type: 'Done', status: 'False' },
    ],
  },
};

const keep = (...paths: string[]): unknown => projectValue(pod, parseProjection(paths));

const { annotations: _annotations, managedFields: _managedFields, ...identity } = pod.metadata;

describe('parseProjection()', () => {
  it('always keeps what identifies and selects an object', () => {
    assert.deepEqual(keep(), { apiVersion: 'v1', kind: 'Pod', metadata: identity });
  });

  it('keeps the fields that paths name, with all that is in them', () => {
    const spec = { replicas: 2 };
    assert.deepEqual(keep('spec.replicas'), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: identity,
      spec,
    });
    assert.deepEqual(keep('.spec.replicas'), keep('spec.replicas'));
    assert.deepEqual(keep('spec', 'spec.replicas'), keep('spec'));
    assert.deepEqual(keep('spec.replicas', 'spec'), keep('spec'));
  });

  it('goes into every item of a list', () => {
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'Done', status: 'False' },
    ];
    assert.deepEqual(
      keep('status.conditions[*].type', 'status.conditions[*].status'),
      keep('status.conditions[*].status', "['status'].conditions[*]['type']"),
    );
    const kept = { apiVersion: 'v1', kind: 'Pod', metadata: identity, status: { conditions } };
    assert.deepEqual(keep('status.conditions[*].type', 'status.conditions[*].status'), kept);
  });

  it('takes names with dots and slashes in brackets', () => {
    const metadata = { ...identity, annotations: { 'example.com/owner': 'me' } };
    const kept = { apiVersion: 'v1', kind: 'Pod', metadata };
    assert.deepEqual(keep("metadata.annotations['example.com/owner']"), kept);
  });

  it('keeps everything for *, managedFields too', () => {
    assert.deepEqual(keep('*'), pod);
  });

  it('drops what a path does not fit', () => {
    const none = { apiVersion: 'v1', kind: 'Pod', metadata: identity };
    assert.deepEqual(keep('spec.replicas.deep', 'spec.absent'), { ...none, spec: {} });
    assert.deepEqual(keep('status.conditions.type', 'spec[*]'), { ...none, status: {} });
  });

  for (const path of ['', ' ', 'a b', 'spec..x', 'spec.', '[*]', '[*].a', 'a[0]', 'a[*', "a['']"]) {
    it(`refuses "${path}"`, () => {
      assert.throws(() => parseProjection([path]), { code: 'InvalidPath' });
    });
  }
});

describe('projectValue()', () => {
  it('leaves out managedFields and nothing else without paths', () => {
    const { managedFields: _, ...metadata } = pod.metadata;
    assert.deepEqual(projectValue(pod, withoutManagedFields), { ...pod, metadata });
  });

  it('keeps as much of what it has kept: it is done after once', () => {
    const projection = parseProjection(['a.b', 'c[*].d', 'metadata.annotations']);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = projectValue(value, projection);
        assert.deepEqual(projectValue(once, projection), once);
      }),
    );
  });
});
