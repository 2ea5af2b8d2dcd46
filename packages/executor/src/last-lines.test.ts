import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastLines } from './last-lines.ts';
import { limits } from './limits.ts';

test('the last lines are kept, and before them the one that says that the disk is full', () => {
  const output = new LastLines();
  const cause = 'OSError: [Errno 28] No space left on device';
  const trace = (length: number): string[] => Array.from({ length }, (_, index) => `line ${index}`);
  for (const line of ['Collecting a', cause, ...trace(100)]) output.add(line);
  assert.deepEqual(output.lines, [cause, ...trace(100).slice(-(limits.installerLinesMax - 1))]);
  const plain = new LastLines();
  for (const line of trace(100)) plain.add(line);
  assert.deepEqual(plain.lines, trace(100).slice(-limits.installerLinesMax));
});
