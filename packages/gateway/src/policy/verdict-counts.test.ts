import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics } from '@fnlet/base';
import { request } from '../../test/policy/request.ts';
import type { Verdict } from './route-policy.ts';
import { VerdictCounts } from './verdict-counts.ts';

const pass: Verdict = { kind: 'pass' };
const refusal: Verdict = { kind: 'refusal', answer: { status: 401, code: 'No', message: 'No' } };

/** What is told, a line for each series. */
function told(counts: VerdictCounts): readonly string[] {
  const lines = formatMetrics([counts.family((route) => ({ route }))]).split('\n');
  return lines.filter((line) => line.startsWith('fnlet_'));
}

test('verdicts are counted by policy and reason, whenever they are given', async () => {
  const counts = new VerdictCounts();
  const verdicts = [pass, refusal, Promise.resolve(pass), Promise.resolve(refusal), pass];
  const one = counts.counted('a/b', { admit: () => verdicts.shift() ?? refusal });
  const other = counts.counted('c/d', { admit: () => refusal });
  for (let asked = 0; asked < 5; asked++) await one.admit(request([]));
  assert.equal(other.admit(request([])), refusal);
  assert.deepEqual(told(counts), [
    'fnlet_route_requests_total{route="a/b",verdict="admitted"} 3',
    'fnlet_route_requests_total{route="a/b",verdict="No"} 2',
    'fnlet_route_requests_total{route="c/d",verdict="No"} 1',
  ]);
});

test('a policy that is made anew is counted on, one that is forgotten is not told about', () => {
  const counts = new VerdictCounts();
  for (const admit of [() => pass, () => pass]) {
    counts.counted('a/b', { admit }).admit(request([]));
  }
  assert.deepEqual(told(counts), ['fnlet_route_requests_total{route="a/b",verdict="admitted"} 2']);
  counts.forget('a/b');
  assert.deepEqual(told(counts), []);
});
