import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError } from './cli-error.ts';
import { parseEnv, parseEnvFile, parsePair } from './function-manifest.ts';

test('parsePair() splits at the first equals sign', () => {
  assert.deepEqual(parsePair('--env', 'URL=a=b'), { name: 'URL', value: 'a=b' });
  assert.deepEqual(parsePair('--env', 'EMPTY='), { name: 'EMPTY', value: '' });
});

test('parsePair() refuses what is no assignment', () => {
  for (const pair of ['NAME', '=x', '1A=x', 'A B=x', '']) {
    assert.throws(() => parsePair('--env', pair), CliError, pair);
  }
});

test('parseEnvFile() leaves out comments and blank lines, and keeps values as they are', () => {
  assert.deepEqual(parseEnvFile('# note\n\nA=1\r\nB= two # three \n'), [
    { name: 'A', value: '1' },
    { name: 'B', value: ' two # three ' },
  ]);
});

test('parseEnv() takes the last value of a variable', () => {
  assert.deepEqual(parseEnv(['A=1', 'B=2', 'A=3']), [
    { name: 'A', value: '3' },
    { name: 'B', value: '2' },
  ]);
});
