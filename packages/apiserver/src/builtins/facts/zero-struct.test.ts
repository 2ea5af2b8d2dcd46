import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinFacts } from './builtin-facts.ts';
import { zeroStruct } from './zero-struct.ts';

test('zeroStruct() has the structs that are not pointers, and null for lists that are not left out', () => {
  assert.deepEqual(zeroStruct(builtinFacts, 'apps.v1.Deployment'), {
    metadata: {},
    spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
    status: {},
  });
});

test('zeroStruct() has no structs behind pointers, and none in lists', () => {
  assert.deepEqual(zeroStruct(builtinFacts, 'core.v1.ConfigMap'), { metadata: {} });
});

test('zeroStruct() writes the zeros of scalars that omitempty does not leave out', () => {
  const { value } = zeroStruct(builtinFacts, 'scheduling.v1.PriorityClass');
  assert.equal(value, 0);
  const event = zeroStruct(builtinFacts, 'core.v1.Event');
  assert.equal(event.firstTimestamp, null);
  assert.equal(Object.hasOwn(event, 'reason'), false);
});
