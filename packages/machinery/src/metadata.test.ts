import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MetadataRules, validateMetadata } from './metadata.ts';
import type { ObjectMeta } from './object.ts';

const rules: MetadataRules = { nameRule: 'dns1123Subdomain', namespaced: true };
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' };

function problems(meta: Partial<ObjectMeta>, other: Partial<MetadataRules> = {}): string[] {
  const errors = validateMetadata({ name: 'a', namespace: 'b', ...meta }, { ...rules, ...other });
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

test('validateMetadata() accepts what Kubernetes accepts', () => {
  const full: Partial<ObjectMeta> = {
    generateName: 'web-',
    labels: { app: 'web', 'example.com/a': '' },
    annotations: { 'Example.com/a': 'anything at all' },
    ownerReferences: [{ ...owner, controller: true }, owner],
    finalizers: ['example.com/a', 'orphan'],
  };
  assert.deepEqual(problems(full), []);
  assert.deepEqual(problems({ namespace: '' }, { namespaced: false }), []);
});

describe('validateMetadata() refuses', () => {
  const cases: readonly [title: string, meta: Partial<ObjectMeta>, expected: RegExp][] = [
    ['no name', { name: '' }, /^metadata.name: Required value: name or generateName is required$/],
    ['a bad name', { name: 'A_' }, /^metadata.name: Invalid value: "A_": a lowercase RFC 1123/],
    ['a bad base', { generateName: 'A_' }, /^metadata.generateName: Invalid value: "A_": a lower/],
    ['no namespace', { namespace: '' }, /^metadata.namespace: Required value$/],
    [
      'a bad namespace',
      { namespace: 'a.b' },
      /^metadata.namespace: Invalid value: "a.b": must not contain dots/,
    ],
    [
      'a bad label',
      { labels: { 'a/b/c': 'x' } },
      /^metadata.labels: Invalid value: "a\/b\/c": a valid label key/,
    ],
    ['a bad label value', { labels: { a: 'not ok' } }, /^metadata.labels: Invalid value: "not ok"/],
    [
      'too many annotations',
      { annotations: { a: 'é'.repeat(131_072) } },
      /^metadata.annotations: Too long: may not be more than 262144 bytes$/,
    ],
    [
      'an owner without uid',
      { ownerReferences: [{ ...owner, uid: '' }] },
      /^metadata.ownerReferences.uid: Invalid value: "": must not be empty$/,
    ],
    [
      'an owner without version',
      { ownerReferences: [{ ...owner, apiVersion: 'apps/' }] },
      /^metadata.ownerReferences.apiVersion: Invalid value: "apps\/": version must not be empty$/,
    ],
    [
      'an Event as owner',
      { ownerReferences: [{ ...owner, kind: 'Event' }] },
      /: \/v1, Kind=Event is disallowed from being an owner$/,
    ],
    [
      'two controllers',
      { ownerReferences: [owner, owner].map((one) => ({ ...one, controller: true })) },
      /: Only one reference can have Controller set to true. Found "true" in references for ConfigMap\/a and ConfigMap\/a$/,
    ],
    [
      'a bad finalizer',
      { finalizers: ['a b'] },
      /^metadata.finalizers\[0\]: Invalid value: "a b":/,
    ],
    [
      'two opposite finalizers',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      /: finalizer orphan and foregroundDeletion cannot be both set$/,
    ],
  ];
  for (const [title, meta, expected] of cases) {
    test(title, () => {
      const found = problems(meta);
      assert.equal(found.length, 1);
      assert.match(found[0] ?? '', expected);
    });
  }

  test('a namespace where there are none', () => {
    assert.deepEqual(problems({ namespace: 'b' }, { namespaced: false }), [
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });

  test('foreign finalizers without a domain on builtin kinds only', () => {
    assert.deepEqual(problems({ finalizers: ['bad'] }), []);
    assert.deepEqual(problems({ finalizers: ['bad', 'kubernetes'] }, { builtin: true }), [
      'metadata.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  test('everything at once, in order', () => {
    const found = problems({ name: 'A_', labels: { '': 'not ok' }, finalizers: ['a b'] });
    assert.deepEqual(
      found.map((text) => text.split(':')[0]),
      [
        'metadata.name',
        'metadata.labels',
        'metadata.labels',
        'metadata.labels',
        'metadata.finalizers[0]',
      ],
    );
  });
});
