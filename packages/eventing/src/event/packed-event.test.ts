import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packEvent, unpackEvent } from './packed-event.ts';

const attributes = { specversion: '1.0', id: 'ü', source: '/s', type: 't', n: 1 } as const;

test('unpackEvent() gives data as a view of the bytes, and tells no data from empty data', () => {
  const packed = packEvent({ attributes, data: Buffer.from('data') });
  const { data } = unpackEvent(packed);
  assert.equal(data?.buffer, packed.buffer);
  assert.equal(unpackEvent(packEvent({ attributes, data: undefined })).data, undefined);
  assert.equal(unpackEvent(packEvent({ attributes, data: Buffer.of() })).data?.length, 0);
});

test('the bytes of version 1 stay what they are', () => {
  const head = Buffer.of(1, 1, 62, 0, 0, 0);
  const text = '{"specversion":"1.0","id":"ü","source":"/s","type":"t","n":1}';
  const bytes = Buffer.concat([head, Buffer.from(text), Buffer.from('data')]);
  assert.deepEqual(packEvent({ attributes, data: Buffer.from('data') }), bytes);
});

test('unpackEvent() refuses what was not packed', () => {
  const broken = { code: 'BrokenRecord' };
  const packed = Buffer.from(packEvent({ attributes, data: undefined }));
  assert.throws(() => unpackEvent(Buffer.of()), broken);
  assert.throws(() => unpackEvent(Buffer.of(2, ...packed.subarray(1))), broken);
  assert.throws(() => unpackEvent(packed.subarray(0, 20)), broken);
  assert.throws(() => unpackEvent(Buffer.from('\x01\x00\x02\x00\x00\x00{}')), broken);
});
