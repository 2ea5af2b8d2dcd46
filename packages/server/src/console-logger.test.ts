import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { createConsoleLogger } from './console-logger.ts';

test('createConsoleLogger() writes one line an entry, whatever the fields hold', () => {
  const lines: string[] = [];
  const clock = new VirtualClock(Date.UTC(2026, 0, 1, 12, 30, 0, 5));
  const logger = createConsoleLogger({ level: 'info', clock, write: (line) => lines.push(line) });
  logger.info('Listening', { url: 'https://127.0.0.1:7443', note: 'two\nlines', count: 2 });
  assert.deepEqual(lines, [
    '12:30:00.005 info  Listening url=https://127.0.0.1:7443 note="two\\nlines" count=2\n',
  ]);
});

test('createConsoleLogger() leaves out what is below its level', () => {
  const lines: string[] = [];
  const logger = createConsoleLogger({
    level: 'warn',
    clock: new VirtualClock(),
    write: (line) => lines.push(line),
  });
  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');
  assert.equal(lines.length, 2);
});
