import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatExplanation } from './explanation.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const about = {
  operator: { namespace: 'default', name: 'sites' },
  object: { kind: 'Site', namespace: 'web', name: 'a', generation: 2 },
};

test('formatExplanation() says why it ran, what was written, filtered, and is due', () => {
  const explanation = {
    ...{ ...about, state: 'settled', message: 'Nothing is left to do' },
    lastRun: {
      ...{ id: 'x', at: '2026-01-01T00:04:30.000Z', outcome: 'requeued', tookMs: 7 },
      reason: 'Site web/a was updated to generation 2',
      writes: ['applied ConfigMap web/a', 'pruned Service web/b'],
    },
    filtered: { count: 2, at: '2026-01-01T00:04:50.000Z', parts: ['status', 'labels'] },
    nextDue: '2026-01-01T00:06:00.000Z',
  };
  const text = formatExplanation({ explanation, runs: [], nowMs });
  assert.equal(
    text,
    [
      'Object:     Site web/a, generation 2',
      'Operator:   default/sites',
      'State:      settled: Nothing is left to do',
      'Last run:   30s ago, took 7 ms: requeued',
      'Because:    Site web/a was updated to generation 2',
      'Written:    applied ConfigMap web/a',
      '            pruned Service web/b',
      'Filtered:   2 changes, the last of status, labels 10s ago: no reason to run',
      'Next due:   2026-01-01T00:06:00.000Z, in 60s',
      '',
      'Runs: none',
      '',
    ].join('\n'),
  );
});

test('formatExplanation() says so where nothing is known', () => {
  const object = { kind: 'Node', namespace: '', name: 'a' };
  const explanation = { ...about, object, state: 'unknown', message: 'There is none' };
  const text = formatExplanation({ explanation, runs: [], nowMs });
  assert.match(text, /^Object: {5}Node a\n/);
  assert.match(
    text,
    /State: +unknown: There is none\nLast run: +none\nWritten: +nothing is known\nFil/,
  );
});

test('formatExplanation() tells the error of a failed run', () => {
  const lastRun = {
    ...{ at: '2026-01-01T00:04:30.000Z', reason: 'it was asked for', outcome: 'failed' },
    ...{ tookMs: 1, writes: [], error: { reason: 'FunctionFailed', message: 'no such bucket' } },
  };
  const explanation = { ...about, state: 'failing', message: 'Its last run failed', lastRun };
  const text = formatExplanation({ explanation, runs: [], nowMs });
  assert.match(text, /\nError: +FunctionFailed: no such bucket\nWritten: +nothing\n/);
});

test('formatExplanation() tells what was written last, where the last run has written nothing', () => {
  const lastRun = { at: '2026-01-01T00:04:30.000Z', outcome: 'done', tookMs: 1, writes: [] };
  const explanation = { ...about, state: 'settled', message: 'Nothing is left', lastRun };
  const startedAt = '2026-01-01T00:04:00.000Z';
  const runs = [{ writes: [] }, { writes: ['created ConfigMap web/a'], startedAt }];
  const text = formatExplanation({ explanation, runs, nowMs });
  assert.match(
    text,
    /\nWritten: +nothing; the last time 60s ago:\n {12}created ConfigMap web\/a\n/,
  );
});
