import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { crdErrors } from './crd-validation.ts';

function define(spec: JsonObject, labels: Record<string, string> = {}): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com', labels },
    spec: { group: 'example.com', names: { plural: 'things', kind: 'Thing' }, ...spec },
  };
}

test('crdErrors() does not check a spec again that stands', () => {
  const old = define({ scope: 'Nowhere' });
  assert.deepEqual(crdErrors(define({ scope: 'Nowhere' }, { a: 'b' }), old), []);
});

test('crdErrors() checks a spec that comes, and one that changes', () => {
  const fields = (now: KubeObject, old?: KubeObject): readonly string[] =>
    crdErrors(now, old).map(({ field }) => field);
  const wrong = define({ scope: 'Nowhere' });
  assert.deepEqual(fields(wrong).slice(0, 2), ['spec.scope', 'spec.versions']);
  assert.deepEqual(fields(define({ scope: 'Elsewhere' }), wrong).slice(0, 1), ['spec.scope']);
});
