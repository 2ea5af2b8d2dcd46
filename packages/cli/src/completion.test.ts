import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fnlet/base';
import { planCompletion } from './commands/completion.ts';
import { createProgram } from './program.ts';

const program = createProgram({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  workingDirectory: '/',
  command: 'fnlet',
  ownOutput: new Set(),
  clock: systemClock,
  random: systemRandom,
  signal: new AbortController().signal,
});

test('planCompletion() offers commands first, the hidden one excluded', () => {
  const { words } = planCompletion(program, ['de']);
  assert.ok(words.includes('deploy') && words.includes('describe'));
  assert.ok(!words.some((word) => word.startsWith('_')));
});

test('planCompletion() offers the flags of the command', () => {
  const { words } = planCompletion(program, ['logs', '--']);
  assert.ok(words.includes('--follow') && words.includes('--kubeconfig'));
});

test('planCompletion() offers Functions where a name is expected', () => {
  assert.equal(planCompletion(program, ['logs', '']).names, 'functions');
  assert.equal(planCompletion(program, ['logs', 'hello', '']).names, undefined);
  assert.equal(planCompletion(program, ['init', '']).names, undefined);
  assert.equal(planCompletion(program, ['trigger', 'describe', '']).names, undefined);
});

test('planCompletion() offers runtimes after --runtime', () => {
  const words = ['deploy', 'hello', '--runtime', ''];
  assert.deepEqual(planCompletion(program, words), { words: [], names: 'runtimes' });
});

test('planCompletion() offers what a group of commands holds, and the flags of each', () => {
  assert.ok(planCompletion(program, ['operator', '']).words.includes('run'));
  const { words } = planCompletion(program, ['operator', 'run', '--']);
  assert.ok(words.includes('--leader-elect') && words.includes('--health-port'));
});
