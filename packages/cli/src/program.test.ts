import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fnlet/base';
import { createProgram } from './program.ts';

const context = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  workingDirectory: '/',
  command: 'fnlet',
  ownOutput: new Set<string>(),
  clock: systemClock,
  random: systemRandom,
  signal: new AbortController().signal,
};

function namesOf(asked: string | undefined): readonly string[] {
  return createProgram(context, asked).commands.map((command) => command.name());
}

test('createProgram() names every command, whatever is asked, but for a server that starts', () => {
  const all = namesOf(undefined);
  assert.ok(['up', 'deploy', 'operator', '__complete'].every((name) => all.includes(name)));
  for (const asked of ['deploy', '--help', 'upp', '__complete']) {
    assert.deepEqual(namesOf(asked), all);
  }
  assert.deepEqual(namesOf('up'), ['up']);
});

test('createProgram() gives a server that starts the same flags', () => {
  const flagsOf = (asked: string | undefined): readonly (string | undefined)[] => {
    const up = createProgram(context, asked).commands.find((command) => command.name() === 'up');
    return (up?.options ?? []).map(({ flags }) => flags);
  };
  assert.ok(flagsOf('up').includes('--api-port <value>'));
  assert.deepEqual(flagsOf('up'), flagsOf(undefined));
});
