import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileKeyMap } from './key-map.ts';

const secret = {
  kind: 'Secret',
  metadata: { name: 's', namespace: 'team', labels: { site: 'web', sites: 'a,b' } },
};

const mappings: readonly (readonly [expression: string, keys: readonly object[]])[] = [
  ['object.metadata.labels.site', [{ name: 'web' }]],
  ['{"name": object.metadata.labels.site, "namespace": "x"}', [{ name: 'web', namespace: 'x' }]],
  ['object.metadata.labels.sites.split(",")', [{ name: 'a' }, { name: 'b' }]],
  [
    'object.metadata.labels.sites.split(",").map(n, {"name": n, "namespace": "x"})',
    [
      { name: 'a', namespace: 'x' },
      { name: 'b', namespace: 'x' },
    ],
  ],
  ['has(object.metadata.labels.none) ? [object.metadata.labels.none] : []', []],
  ['null', []],
];

for (const [expression, keys] of mappings) {
  test(`compileKeyMap() maps by ${expression}`, () => {
    const map = compileKeyMap(expression, (message) => assert.fail(message));
    assert.deepEqual(map(secret), keys);
  });
}

test('compileKeyMap() maps an object that it cannot tell of to nobody, and says so once', () => {
  const told: string[] = [];
  const map = compileKeyMap('object.metadata.labels.none', (message) => told.push(message));
  assert.deepEqual([map(secret), map(secret)], [[], []]);
  assert.match(told.join(), /^Cannot map by "object.metadata.labels.none": no such key: none/);
  const wrong = compileKeyMap('[1, 2]', (message) => told.push(message));
  assert.deepEqual(wrong(secret), []);
  assert.match(told[1] ?? '', /found 1, expected a name, or a name and a namespace/);
  assert.equal(told.length, 2);
});

test('compileKeyMap() refuses what is no expression, at once', () => {
  assert.throws(() => compileKeyMap('object.', () => {}), { code: 'InvalidMapping' });
  assert.throws(() => compileKeyMap('other.name', () => {}), /undeclared reference/);
});
