import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryPrometheus } from './query-prometheus.ts';

const { signal } = new AbortController();
const metric = { url: 'http://prometheus:9090/', query: 'sum(rate(jobs[1m]))' };

function ask(answer: unknown): Promise<number> {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return queryPrometheus(metric, () => Promise.resolve(text), signal);
}

function success(resultType: string, result: unknown): object {
  return { status: 'success', data: { resultType, result } };
}

test('queryPrometheus() asks for the query at the address of the API', async () => {
  const urls: string[] = [];
  await queryPrometheus(
    metric,
    (url) => {
      urls.push(url);
      return Promise.resolve(JSON.stringify(success('scalar', [1, '2'])));
    },
    signal,
  );
  const query = 'sum(rate(jobs%5B1m%5D))';
  assert.deepEqual(urls, [`http://prometheus:9090/api/v1/query?query=${query}`]);
});

test('queryPrometheus() adds up the series of a vector', async () => {
  const series = [
    { metric: { a: '1' }, value: [1.5, '2.5'] },
    { metric: {}, value: [1.5, '4'] },
  ];
  assert.equal(await ask(success('vector', series)), 6.5);
});

for (const [what, answer, problem] of [
  ['no JSON', '<html>', /found an answer that is no JSON/],
  ['an error', { status: 'error', error: 'parse error' }, /found an error: parse error/],
  ['nothing', success('vector', []), /found no series/],
  ['no number', success('scalar', [1, 'NaN']), /found no number/],
  ['a matrix', success('matrix', [{}]), /found a matrix/],
  ['a vector of text', success('vector', [{ value: [1, 2] }]), /a series without a number/],
  ['no result', { status: 'success', data: {} }, /an answer without a result/],
] as const) {
  test(`queryPrometheus() does not take ${what} for a number`, async () => {
    await assert.rejects(ask(answer), problem);
    await assert.rejects(ask(answer), { code: 'MetricUnavailable' });
  });
}
