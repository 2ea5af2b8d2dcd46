import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideLineFormat, LogPrinter } from './log-printer.ts';

test('LogPrinter never mixes lines of two Instances, wherever their chunks end', () => {
  const printed: string[] = [];
  const printer = new LogPrinter(
    { write: (text: string) => printed.push(text) > 0 },
    decideLineFormat(undefined, true),
  );
  const bytes = new TextEncoder().encode('grüße\n');
  printer.write('a', bytes.subarray(0, 3));
  printer.write('b', new TextEncoder().encode('one\ntw'));
  printer.write('a', bytes.subarray(3));
  printer.end('b');
  assert.deepEqual(printed, ['b one\n', 'a grüße\n', 'b tw\n']);
});

test('decideLineFormat() makes documents that hold any line', async () => {
  const { parseAllDocuments } = await import('yaml');
  const lines = ['a: "b" \\ {}', '', '- \t\u2028grüße', '---'];
  const json = decideLineFormat('json', false);
  const yaml = decideLineFormat('yaml', true);
  const read: unknown[] = lines.map((line) => JSON.parse(json('one', line)));
  const documents = parseAllDocuments(lines.map((line) => yaml('one', line)).join(''));
  const expected = lines.map((line) => ({ instance: 'one', line }));
  assert.deepEqual(read, expected);
  assert.deepEqual(
    Array.from(documents, (document) => document.toJS()),
    expected,
  );
});
