import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerDifferences } from './answer-differences.ts';

const map = (name: string, text: string): object => ({
  ...{ kind: 'ConfigMap', metadata: { name } },
  data: { text },
});

test('answerDifferences() finds children by kind and name, not by their place', () => {
  const before = { children: [map('a', '1'), map('b', '2')] };
  assert.deepEqual(answerDifferences(before, { children: [map('b', '2'), map('a', '1')] }), []);
  assert.deepEqual(answerDifferences(before, { children: [map('b', '3'), map('a', '1')] }), [
    { path: 'children[ConfigMap b].data.text', before: '"2"', after: '"3"' },
  ]);
});

test('answerDifferences() tells what has come and gone, stages and empty lists among it', () => {
  assert.deepEqual(answerDifferences({ requeueAfter: '1h' }, { children: [] }), [
    { path: 'children', after: '[]' },
    { path: 'requeueAfter', before: '"1h"' },
  ]);
  const after = { children: [[{ object: map('a', '1'), asIs: true }]], status: { url: null } };
  assert.deepEqual(
    answerDifferences({}, after).map(({ path }) => path),
    [
      'children[0][ConfigMap a].asIs',
      'children[0][ConfigMap a].object.data.text',
      'children[0][ConfigMap a].object.kind',
      'children[0][ConfigMap a].object.metadata.name',
      'status.url',
    ],
  );
});

test('answerDifferences() takes any values, which differ or do not', () => {
  assert.deepEqual(answerDifferences(undefined, undefined), []);
  assert.deepEqual(answerDifferences('a', 1), [{ path: '', before: '"a"', after: '1' }]);
});
