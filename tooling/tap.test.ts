import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatCounts,
  parseCounts,
  parseFailures,
  parseLateErrors,
  parseSkipped,
  sumCounts,
} from './tap.ts';

const report = `TAP version 13
# Subtest: alone
not ok 1 - alone
  ---
  failureType: 'testTimeoutFailure'
  error: 'test timed out after 1000ms'
  ...
# Subtest: suite
    # Subtest: inner
    not ok 1 - inner
      ---
      failureType: 'testCodeFailure'
      error: 'no'
      ...
    # Subtest: other
    ok 2 - other # SKIP needs a kubectl
      ---
      ...
    1..2
not ok 2 - suite
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..2
# tests 3
# pass 4
# fail 1
# cancelled 1
# skipped 1
`;

test('counts are those of the closing lines; what was cancelled has failed', () => {
  assert.deepEqual(parseCounts(report), { passed: 4, failed: 2, skipped: 1 });
  assert.deepEqual(parseCounts(report.slice(0, 200)), { passed: 0, failed: 0, skipped: 0 });
});

test('failures are told with their details, suites only for their own mistakes', () => {
  const failures = parseFailures(report);
  assert.equal(failures.length, 2);
  assert.match(failures[0] ?? '', /^not ok 1 - alone\n[\s\S]*timed out[\s\S]*\.\.\.$/);
  assert.match(failures[1] ?? '', /^ {4}not ok 1 - inner\n[\s\S]*'no'/);
});

test('a skipped test says why', () => {
  assert.deepEqual(parseSkipped(report), ['other: needs a kubectl']);
});

test('what goes wrong after a test is told', () => {
  const late = '# Error: Test "a" at a.test.ts:1:1 generated asynchronous activity';
  assert.deepEqual(parseLateErrors(`${report}${late}\n`), [late]);
  assert.deepEqual(parseLateErrors(report), []);
});

test('counts add up', () => {
  const counts = parseCounts(report);
  assert.equal(formatCounts(sumCounts([counts, counts])), '8 passed, 4 failed, 2 skipped');
  assert.equal(formatCounts({ passed: 1, failed: 0, skipped: 0 }), '1 passed, 0 failed');
});
