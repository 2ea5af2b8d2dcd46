import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldType } from '@fnlet/machinery';
import { builtinTypes } from './builtin-schema.ts';

function at(type: FieldType, ...path: readonly string[]): FieldType {
  let found = type;
  for (const name of path) {
    found = resolve(found);
    if (found.kind === 'map') found = found.fields[name] ?? found.element ?? assert.fail(name);
    else if (found.kind === 'list') found = found.element;
  }
  return resolve(found);
}

function resolve(type: FieldType): FieldType {
  return type.kind === 'lazy' ? resolve(type.type()) : type;
}

test('fieldType() of a list has its keys and what a missing key stands for', () => {
  const ports = at(builtinTypes.fieldType('core.v1.Service'), 'spec', 'ports');
  assert.ok(ports.kind === 'list');
  assert.deepEqual(ports.keys, ['port', 'protocol']);
  assert.deepEqual(ports.keyDefaults, { port: 0, protocol: 'TCP' });
});

test('fieldType() tells which structs and maps are owned as a whole', () => {
  const relationship = (message: string, ...path: string[]): string => {
    const type = at(builtinTypes.fieldType(message), ...path);
    return type.kind === 'map' || type.kind === 'list' ? type.relationship : type.kind;
  };
  assert.equal(relationship('core.v1.Service', 'spec', 'selector'), 'atomic');
  assert.equal(relationship('core.v1.ConfigMap', 'data'), 'granular');
  assert.equal(relationship('apps.v1.Deployment', 'spec', 'selector'), 'atomic');
  // An ObjectReference is atomic, but not here.
  assert.equal(relationship('core.v1.PersistentVolume', 'spec', 'claimRef'), 'granular');
  assert.equal(relationship('core.v1.Pod', 'metadata', 'finalizers'), 'set');
  assert.equal(relationship('core.v1.Pod', 'spec', 'tolerations'), 'atomic');
});

test('fieldType() of a type that contains itself can be walked as deep as one likes', () => {
  const schema = builtinTypes.fieldType('apiextensions.v1.JSONSchemaProps');
  const deep = at(schema, 'properties', 'a', 'properties', 'b', 'not', 'allOf', 'item', 'type');
  assert.deepEqual(deep, { kind: 'scalar', of: 'string' });
});

test('strategicType() has the merge keys of lists, however deep', () => {
  const type = builtinTypes.strategicType('apps.v1.Deployment');
  const pod = type.fields?.spec?.fields?.template?.fields?.spec;
  assert.equal(pod?.fields?.containers?.mergeKey, 'name');
  assert.equal(pod?.fields?.containers?.items?.fields?.ports?.mergeKey, 'containerPort');
  assert.deepEqual(pod?.fields?.volumes?.strategy, ['merge', 'retainKeys']);
  assert.deepEqual(type.fields?.metadata?.fields?.finalizers?.strategy, ['merge']);
});
