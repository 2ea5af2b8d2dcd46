import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLetters, parseMoment } from './dead-letters.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const letters = [
  {
    name: 'orders.7',
    namespace: 'shop',
    reason: 'Refused',
    code: 400,
    attempts: 1,
    time: '2026-01-01T00:00:00.000Z',
    answer: 'x'.repeat(100),
    event: { type: 'order', id: 'a-1' },
  },
];

test('formatLetters() shows a line for each dead letter', () => {
  const lines = formatLetters(letters, { allNamespaces: false, nowMs }).split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      ['NAME', 'TYPE', 'ID', 'REASON', 'CODE', 'ATTEMPTS', 'AGE', 'ANSWER'],
      ['orders.7', 'order', 'a-1', 'Refused', '400', '1', '5m', `${'x'.repeat(59)}…`],
      [''],
    ],
  );
});

test('formatLetters() begins with the namespace where there are several', () => {
  const [head, first] = formatLetters(letters, { allNamespaces: true, nowMs }).split('\n');
  assert.match(head ?? '', /^NAMESPACE +NAME/);
  assert.match(first ?? '', /^shop +orders\.7/);
});

test('parseMoment() reads times, and how long ago', () => {
  assert.equal(parseMoment('since', '2m', nowMs), nowMs - 120_000);
  assert.equal(parseMoment('since', '2026-01-01T00:00:00Z', nowMs), nowMs - 300_000);
  assert.throws(() => parseMoment('since', 'soon', nowMs), /Cannot read --since: found "soon"/);
});
