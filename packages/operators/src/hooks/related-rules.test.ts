import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRelatedRules } from './related-rules.ts';

const secrets = { apiVersion: 'v1', resource: 'secrets' };

const rows: readonly (readonly [name: string, rule: object, read: readonly object[]])[] = [
  ['all of a kind', secrets, [secrets]],
  ['those of a namespace', { ...secrets, namespace: 'a' }, [{ ...secrets, namespace: 'a' }]],
  [
    'names, each for itself',
    { ...secrets, namespace: 'a', names: ['x', 'y'] },
    [
      { ...secrets, namespace: 'a', name: 'x' },
      { ...secrets, namespace: 'a', name: 'y' },
    ],
  ],
  [
    'labels',
    { ...secrets, labelSelector: { matchLabels: { app: 'a' } }, names: [] },
    [{ ...secrets, labels: 'app=a' }],
  ],
  [
    'expressions over labels',
    {
      ...secrets,
      labelSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] },
    },
    [{ ...secrets, labels: 'tier in (a,b)' }],
  ],
];

for (const [name, rule, read] of rows) {
  test(`readRelatedRules() reads ${name}`, () => {
    assert.deepEqual(readRelatedRules({ relatedResources: [rule] }), read);
  });
}

test('readRelatedRules() takes no rules for an answer, and nothing else', () => {
  assert.deepEqual(readRelatedRules({}), []);
  assert.deepEqual(readRelatedRules({ relatedResources: null }), []);
  const both = { ...secrets, labelSelector: {}, names: ['x'] };
  const unknown = { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } };
  for (const rule of [{}, { apiVersion: 'v1', kind: 'Secret' }, both, { ...secrets, ...unknown }]) {
    const read = (): unknown => readRelatedRules({ relatedResources: [rule] });
    assert.throws(read, { code: 'InvalidAnswer' }, JSON.stringify(rule));
  }
  assert.throws(() => readRelatedRules('none'), { code: 'InvalidAnswer' });
});
