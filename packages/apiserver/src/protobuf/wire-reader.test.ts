import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WireReader } from './wire-reader.ts';

const reader = (...bytes: readonly number[]): WireReader => new WireReader(Uint8Array.from(bytes));

test('varint() reads numbers of one to ten bytes', () => {
  assert.equal(reader(0).varint(), 0n);
  assert.equal(reader(0x7f).varint(), 127n);
  assert.equal(reader(0xac, 0x02).varint(), 300n);
  assert.equal(reader(0xff, 0xff, 0xff, 0xff, 0x0f).varint(), 2n ** 32n - 1n);
  const most = [...Array<number>(9).fill(0xff), 0x01];
  assert.equal(reader(...most).varint(), 2n ** 64n - 1n);
});

test('varint() refuses a number without end', () => {
  assert.throws(() => reader(...Array<number>(11).fill(0x80)).varint(), /integer overflow/);
  assert.throws(() => reader(0x80).varint(), /unexpected EOF/);
});

test('tag() tells field and wire type, and refuses what is no tag', () => {
  assert.deepEqual(reader(0x12).tag(), { field: 2, wireType: 2 });
  assert.throws(() => reader(0x00).tag(), /illegal tag 0 \(wire type 0\)/);
  assert.throws(() => reader(0x0c).tag(), /end group/);
});

test('bytes() never gives more than there is', () => {
  assert.deepEqual([...reader(2, 7, 8, 9).bytes()], [7, 8]);
  assert.throws(() => reader(3, 7, 8).bytes(), /unexpected EOF/);
  assert.throws(() => reader(0xff, 0xff, 0xff, 0xff, 0xff, 0x01).bytes(), /negative length/);
});

test('skip() passes over every wire type but groups', () => {
  for (const [wireType, ...bytes] of [
    [0, 0x80, 0x01],
    [1, 1, 2, 3, 4, 5, 6, 7, 8],
    [2, 1, 9],
    [5, 1, 2, 3, 4],
  ]) {
    const skipping = reader(...bytes);
    skipping.skip(wireType ?? -1);
    assert.ok(skipping.isDone);
  }
  assert.throws(() => reader(1).skip(3), /illegal wireType 3/);
});

test('whatever the bytes say, reading ends with a value or a WireError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const any = new WireReader(bytes);
      try {
        while (!any.isDone) any.skip(any.tag().wireType);
      } catch (error) {
        assert.ok(error instanceof Error && 'code' in error);
        assert.equal(error.code, 'MalformedProtobuf');
      }
    }),
  );
});
