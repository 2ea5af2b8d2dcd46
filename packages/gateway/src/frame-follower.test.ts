import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameFollower } from './frame-follower.ts';

interface Frame {
  readonly opcode: number;
  readonly masked: boolean;
  readonly payload: number;
}

function bytesOf({ opcode, masked, payload }: Frame): Buffer {
  const mask = masked ? 0x80 : 0;
  const head = [0x80 | opcode];
  if (payload < 126) head.push(mask | payload);
  else if (payload < 65_536) head.push(mask | 126, payload >> 8, payload & 255);
  else head.push(mask | 127, 0, 0, 0, 0, 0, payload >> 16, (payload >> 8) & 255, payload & 255);
  return Buffer.concat([Buffer.from(head), Buffer.alloc((masked ? 4 : 0) + payload, 0x88)]);
}

const frame: fc.Arbitrary<Frame> = fc.record({
  opcode: fc.constantFrom(0, 1, 2, 9, 10),
  masked: fc.boolean(),
  payload: fc.oneof(fc.nat(130), fc.constantFrom(125, 126, 127, 65_535, 65_536, 70_000)),
});

test('it knows the ends of frames, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 6 }), fc.nat(), (frames, cut) => {
      const parts = frames.map(bytesOf);
      const all = Buffer.concat(parts);
      const ends = new Set([0]);
      for (const part of parts) ends.add(Math.max(...ends) + part.length);
      const at = all.length === 0 ? 0 : cut % all.length;
      const follower = new FrameFollower();
      assert.equal(follower.advance(all.subarray(0, at), 0, false), at);
      assert.equal(follower.between, ends.has(at));
      assert.equal(follower.advance(all, at, false), all.length);
      assert.ok(follower.between && !follower.closed);
    }),
  );
});

test('it stops at the end of the frame in progress', () => {
  const bytes = Buffer.concat([
    bytesOf({ opcode: 1, masked: false, payload: 300 }),
    bytesOf({ opcode: 2, masked: false, payload: 7 }),
  ]);
  const follower = new FrameFollower();
  follower.advance(bytes.subarray(0, 3), 0, false);
  assert.equal(follower.advance(bytes, 3, true), 304);
  assert.equal(follower.advance(bytes, 304, true), 304);
});

test('it notes a Close frame as soon as that begins', () => {
  const follower = new FrameFollower();
  follower.advance(bytesOf({ opcode: 8, masked: false, payload: 2 }).subarray(0, 2), 0, false);
  assert.ok(follower.closed && !follower.between);
});
