import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ownYoungGeneration, YoungGeneration } from './young-generation.ts';

const megabyte = 1024 * 1024;

function open(): { told: number[]; resize: (bytes: number) => void; young: YoungGeneration } {
  const told: number[] = [];
  let capacity = megabyte;
  let listener: (() => void) | undefined;
  const young = new YoungGeneration({
    capacityBytes: () => capacity,
    setGrowth: (factor) => void told.push(factor),
    onCollection(next) {
      listener = next;
      return () => {
        listener = undefined;
      };
    },
  });
  young.hold();
  const resize = (bytes: number): void => {
    capacity = bytes;
    listener?.();
  };
  return { told, resize, young };
}

test('a young generation grows to 4 MB, and again once V8 has made it smaller', () => {
  const { told, resize } = open();
  resize(2 * megabyte);
  assert.deepEqual(told, []);
  resize(4 * megabyte - 4_096);
  resize(4 * megabyte - 4_096);
  assert.deepEqual(told, [1]);
  resize(megabyte);
  assert.deepEqual(told, [1, 2]);
});

test('one that is released grows further, and is held where it is later', () => {
  const { told, resize, young } = open();
  resize(4 * megabyte);
  young.release();
  resize(16 * megabyte);
  assert.deepEqual(told, [1, 2]);
  young.hold();
  assert.deepEqual(told, [1, 2, 1]);
  young[Symbol.dispose]();
  assert.deepEqual(told, [1, 2, 1, 2]);
});

test('only what was given a bound is held', () => {
  using held = ownYoungGeneration(['--inspect', '--max-semi-space-size=16']);
  assert.ok(held instanceof YoungGeneration);
  assert.equal(ownYoungGeneration(['--max-old-space-size=16']), undefined);
});

test('V8 holds its young generation at 4 MB, and lets it grow when it may', async () => {
  const script = `
    import { YoungGeneration, youngHeap } from ${JSON.stringify(join(import.meta.dirname, 'young-generation.ts'))};
    const kept = [];
    // More than a young generation survives, again and again, with turns for who looks.
    const burst = async () => {
      for (let turn = 0; turn < 200; turn++) {
        kept.length = 0;
        for (let i = 0; i < 20_000; i++) kept.push({ turn, i });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return Math.round(youngHeap.capacityBytes() / 1_048_576);
    };
    const young = new YoungGeneration(youngHeap);
    young.hold();
    const held = await burst();
    young.release();
    console.log(JSON.stringify([held, await burst()]));`;
  const flags = ['--max-semi-space-size=16', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  assert.deepEqual(JSON.parse(stdout), [4, 16]);
});
