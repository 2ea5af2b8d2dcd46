import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCalls } from './calls.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const calls = [
  {
    id: 'a',
    namespace: 'shop',
    function: 'report',
    state: 'retrying',
    attempts: 1,
    attemptsMax: 5,
    acceptedAt: '2026-01-01T00:00:00.000Z',
    lastError: { reason: 'FunctionTimeout' },
  },
  { id: 'b', function: 'mail', state: 'succeeded', attempts: 1, attemptsMax: 1, status: 201 },
];

test('formatCalls() shows a line for each call', () => {
  const lines = formatCalls(calls, { allNamespaces: false, nowMs }).split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      ['ID', 'FUNCTION', 'STATE', 'ATTEMPTS', 'STATUS', 'AGE', 'LAST ERROR'],
      ['a', 'report', 'retrying', '1/5', '5m', 'FunctionTimeout'],
      ['b', 'mail', 'succeeded', '1/1', '201', '0s'],
      [''],
    ],
  );
});

test('formatCalls() begins with the namespace where there are several', () => {
  const [head, first] = formatCalls(calls, { allNamespaces: true, nowMs }).split('\n');
  assert.match(head ?? '', /^NAMESPACE +ID/);
  assert.match(first ?? '', /^shop +a/);
});
