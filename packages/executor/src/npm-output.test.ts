import assert from 'node:assert/strict';
import { it } from 'node:test';
import { limits } from './limits.ts';
import { NpmOutput } from './npm-output.ts';

const many = Array.from({ length: limits.installerLinesMax * 3 }, (_, i) => `line ${i}`);

it('keeps the last lines', () => {
  const output = new NpmOutput();
  for (const line of many) output.add(line);
  assert.deepEqual(output.lines, many.slice(-limits.installerLinesMax));
});

it('notices that a file could not be written, though npm ends well', () => {
  const output = new NpmOutput();
  output.add('npm warn tar TAR_ENTRY_ERROR EEXIST: file already exists');
  assert.equal(output.isIncomplete, false);
  output.add('npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write');
  for (const line of many) output.add(line);
  assert.equal(output.isIncomplete, true);
  assert.match(output.lines[0] ?? '', /ENOSPC/);
});

it('keeps the lines from the error code on, however much follows', () => {
  const output = new NpmOutput();
  for (const line of ['npm warn old', 'npm error code EUSAGE', ...many]) output.add(line);
  assert.equal(output.lines[0], 'npm error code EUSAGE');
  assert.equal(output.lines.length, limits.installerLinesMax);
});
