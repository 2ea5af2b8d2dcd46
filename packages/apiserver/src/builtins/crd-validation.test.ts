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

test('crdErrors() lets a dear rule stand in a version that does not change', () => {
  const list = { type: 'array', maxItems: 4_000_000, items: { type: 'integer' } };
  const rules = [{ rule: 'self.all(x, true)' }];
  const a = { ...list, 'x-kubernetes-validations': rules };
  const openAPIV3Schema = { type: 'object', properties: { a } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  const old = define({ scope: 'Namespaced', versions: [version] });
  const dear = (versions: readonly JsonObject[]): readonly string[] =>
    crdErrors(define({ scope: 'Cluster', versions }), old)
      .filter(({ message }) => message.includes('exceeds budget'))
      .map(({ field }) => field);
  assert.deepEqual(dear([version]), []);
  const next = { ...version, name: 'v2', storage: false };
  const at = 'x-kubernetes-validations[0].rule';
  assert.deepEqual(dear([version, next]), [`spec.validation.openAPIV3Schema.properties[a].${at}`]);
  const other = { ...next, schema: { openAPIV3Schema: { type: 'object', properties: { b: a } } } };
  assert.deepEqual(dear([version, other]), [
    `spec.versions[1].schema.openAPIV3Schema.properties[b].${at}`,
  ]);
});
