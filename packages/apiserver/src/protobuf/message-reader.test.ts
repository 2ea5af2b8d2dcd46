import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinFacts } from '../builtins/facts/builtin-facts.ts';
import { formatGoDuration } from './go-duration.ts';
import { readMessage } from './message-reader.ts';

const read = (message: string, hex: string) =>
  readMessage(builtinFacts, message, Buffer.from(hex.replaceAll(' ', ''), 'hex'));

test('readMessage() reads numbers that come packed and one by one', () => {
  // supplementalGroups (4): 1, 2 packed, then 300.
  const expected = { supplementalGroups: [1, 2, 300] };
  assert.deepEqual(read('core.v1.PodSecurityContext', '22 02 01 02 20 ac 02'), expected);
});

test('readMessage() merges a message that comes in parts', () => {
  // metadata (1) twice: name (1) "a", then namespace (3) "b".
  const expected = { metadata: { name: 'a', namespace: 'b' } };
  assert.deepEqual(read('core.v1.ConfigMap', '0a 03 0a 01 61 0a 03 1a 01 62'), expected);
});

test('readMessage() passes over fields with unknown numbers', () => {
  assert.deepEqual(read('core.v1.ConfigMap', 'f8 07 01 fa 07 01 61 20 01'), { immutable: true });
});

test('readMessage() reads negative numbers, which take ten bytes', () => {
  const minusOne = 'ff ff ff ff ff ff ff ff ff 01';
  assert.deepEqual(read('core.v1.PodSpec', `c8 01 ${minusOne}`), { priority: -1 });
});

test('readMessage() shows an empty Time as Go does: not at all', () => {
  assert.deepEqual(read('meta.v1.ObjectMeta', '42 00'), { creationTimestamp: undefined });
});

test('readMessage() reads both forms of an IntOrString', () => {
  assert.deepEqual(read('core.v1.ServicePort', '22 04 08 00 10 50'), { targetPort: 80 });
  const named = '22 08 08 01 10 00 1a 02 68 70';
  assert.deepEqual(read('core.v1.ServicePort', named), { targetPort: 'hp' });
});

test('readMessage() reads the forms that JSON Schema leaves open', () => {
  // additionalProperties (30): allows; items (24): a schema with type (5) "a".
  const expected = { additionalProperties: true, items: { type: 'a' } };
  const bytes = 'f2 01 02 08 01 c2 01 05 0a 03 2a 01 61';
  assert.deepEqual(read('apiextensions.v1.JSONSchemaProps', bytes), expected);
});

test('readMessage() refuses a value that is laid out as another type', () => {
  assert.throws(() => read('core.v1.ConfigMap', '08 01'), {
    code: 'MalformedProtobuf',
    message: 'proto: wrong wireType = 0 for field Metadata',
  });
});

test('readMessage() refuses nesting without end', () => {
  let bytes = Buffer.alloc(0);
  for (let depth = 0; depth < 1500; depth++) {
    // not (28) of a schema is a schema.
    const length = [(bytes.length & 127) | 128, bytes.length >> 7];
    bytes = Buffer.concat([Buffer.from([0xe2, 0x01, ...length]), bytes]);
  }
  const schema = 'apiextensions.v1.JSONSchemaProps';
  assert.throws(() => readMessage(builtinFacts, schema, bytes), /exceeded max depth/);
});

test('formatGoDuration() writes durations as Go does', () => {
  const cases: readonly (readonly [bigint, string])[] = [
    [0n, '0s'],
    [1n, '1ns'],
    [1500n, '1.5µs'],
    [250_000_000n, '250ms'],
    [1_500_000_000n, '1.5s'],
    [60_000_000_000n, '1m0s'],
    [3_600_000_000_000n, '1h0m0s'],
    [-90_000_000_000n, '-1m30s'],
  ];
  for (const [nanos, text] of cases) assert.equal(formatGoDuration(nanos), text);
});
