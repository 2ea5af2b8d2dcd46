import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { asTyped, commandName } from './command-name.ts';
import { printFailure } from './failure.ts';

test('commandName() is fnlet where the path leads to it', () => {
  const exists = (file: string): boolean => file === '/opt/bin/fnlet';
  assert.equal(commandName({ PATH: '/bin:/opt/bin' }, exists), 'fnlet');
  assert.equal(commandName({ PATH: '/bin::' }, exists), 'npx fnlet');
  assert.equal(commandName({}, exists), 'npx fnlet');
});

test('commandName() goes through npx where npm runs it: its path is not the user’s', () => {
  for (const command of ['exec', 'start', 'run-script']) {
    assert.equal(
      commandName({ PATH: '/bin', npm_command: command }, () => true),
      'npx fnlet',
    );
  }
});

test('asTyped() changes commands and leaves other words', () => {
  const text = 'Look: fnlet ls, or "fnlet --help" in ./.fnlet for fnlet';
  assert.equal(asTyped(text, 'fnlet'), text);
  const typed = 'Look: npx fnlet ls, or "npx fnlet --help" in ./.fnlet for fnlet';
  assert.equal(asTyped(text, 'npx fnlet'), typed);
  assert.equal(asTyped(typed, 'npx fnlet'), typed);
});

test('printFailure() tells a remedy as it can be typed', () => {
  let printed = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  const failure = { exitCode: 1, message: 'fnlet is not there', remedy: 'Look: fnlet ls' } as const;
  printFailure(failure, { stderr, command: 'npx fnlet' });
  assert.equal(printed, 'fnlet: fnlet is not there\nLook: npx fnlet ls\n');
});
