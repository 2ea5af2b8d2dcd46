import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogPrinter } from './log-printer.ts';

test('LogPrinter never mixes lines of two Instances, wherever their chunks end', () => {
  const printed: string[] = [];
  const printer = new LogPrinter(
    { write: (text: string) => printed.push(text) > 0 },
    { prefixed: true },
  );
  const bytes = new TextEncoder().encode('grüße\n');
  printer.write('a', bytes.subarray(0, 3));
  printer.write('b', new TextEncoder().encode('one\ntw'));
  printer.write('a', bytes.subarray(3));
  printer.end('b');
  assert.deepEqual(printed, ['b one\n', 'a grüße\n', 'b tw\n']);
});
