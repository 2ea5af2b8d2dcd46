import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatTable } from './text-table.ts';

test('formatTable() aligns columns and leaves no trailing blanks', () => {
  const text = formatTable(
    ['NAME', 'READY', 'URL'],
    [
      ['hello', 'True', ''],
      ['a-longer-name', 'False', 'http://x'],
    ],
  );
  assert.equal(
    text,
    'NAME            READY   URL\nhello           True\na-longer-name   False   http://x\n',
  );
});

test('formatAge() reads like kubectl', () => {
  const cases: [number, string][] = [
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [150, '2m30s'],
    [3599, '59m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 60, '3h1m'],
    [47 * 3600, '47h'],
    [48 * 3600, '2d'],
    [9 * 86400, '9d'],
  ];
  for (const [seconds, text] of cases) assert.equal(formatAge(0, seconds * 1000), text);
});
