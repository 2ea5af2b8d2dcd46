import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldType } from '@fnlet/machinery';
import { compileSchema } from './compiled-schema.ts';
import { structuralFieldType } from './structural-field-type.ts';

const scalar: FieldType = { kind: 'scalar' };
const text: FieldType = { kind: 'scalar', of: 'string' };

describe('structuralFieldType()', () => {
  it('makes maps granular and lists atomic unless the schema says otherwise', () => {
    assert.deepEqual(
      structuralFieldType({
        type: 'object',
        properties: {
          args: { type: 'array', items: { type: 'string' } },
          tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          sel: {
            type: 'object',
            'x-kubernetes-map-type': 'atomic',
            additionalProperties: { type: 'string' },
          },
          amount: { 'x-kubernetes-int-or-string': true },
        },
      }),
      {
        kind: 'map',
        relationship: 'granular',
        fields: {
          args: {
            kind: 'list',
            relationship: 'atomic',
            element: text,
            keys: [],
            keyDefaults: {},
          },
          tags: { kind: 'list', relationship: 'set', element: text, keys: [], keyDefaults: {} },
          sel: { kind: 'map', relationship: 'atomic', fields: {}, element: text },
          amount: scalar,
        },
      },
    );
  });

  it('knows the keys of map lists and what a missing key stands for', () => {
    const type = structuralFieldType({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
        },
      },
    });
    assert.equal(type.kind, 'list');
    assert.deepEqual(type.kind === 'list' && type.keys, ['port', 'protocol']);
    assert.deepEqual(type.kind === 'list' && type.keyDefaults, { protocol: 'TCP' });
  });

  it('deduces what a schema leaves open', () => {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
    assert.deepEqual(structuralFieldType(open), { kind: 'deduced' });
    const half = structuralFieldType({ ...open, properties: { a: { type: 'string' } } });
    assert.deepEqual(half.kind === 'map' && half.element, { kind: 'deduced' });
  });

  it('gives resources the real metadata', () => {
    const { fieldType } = compileSchema({ type: 'object' }, { root: 'resource' });
    const metadata = fieldType.kind === 'map' ? fieldType.fields.metadata : undefined;
    assert.ok(metadata?.kind === 'map');
    const { labels, finalizers, ownerReferences, managedFields } = metadata.fields;
    assert.deepEqual(labels, {
      kind: 'map',
      relationship: 'granular',
      fields: {},
      element: text,
    });
    assert.equal(finalizers?.kind === 'list' && finalizers.relationship, 'set');
    assert.deepEqual(ownerReferences?.kind === 'list' && ownerReferences.keys, ['uid']);
    assert.equal(managedFields?.kind === 'list' && managedFields.relationship, 'atomic');
  });
});
