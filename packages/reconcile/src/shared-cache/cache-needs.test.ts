import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import fc from 'fast-check';
import { type CacheNeeds, coversNeeds, uniteNeeds } from './cache-needs.ts';

type Needs = CacheNeeds<KubeObject>;

const nothing: Needs = { keep: undefined, project: undefined, managers: [], indexes: [] };

test('paths add up; all is all but managed fields, unless somebody names those', () => {
  const keep = (a: readonly string[] | undefined, b: readonly string[] | undefined): unknown =>
    uniteNeeds({ ...nothing, keep: a }, { ...nothing, keep: b }).keep;
  assert.deepEqual(keep(['spec.a'], ['spec.b', 'spec.a']), ['spec.a', 'spec.b']);
  assert.equal(keep(['spec.a'], undefined), undefined);
  assert.equal(keep(undefined, ['metadata.labels']), undefined);
  for (const path of ['*', 'metadata', 'metadata.managedFields[*].manager']) {
    assert.deepEqual(keep(undefined, [path]), ['*'], path);
  }
});

const project = (object: KubeObject): KubeObject => object;
const indexes = [0, 1, 2].map((n) => () => [`${n}`]);
const needsArbitrary: fc.Arbitrary<Needs> = fc.record({
  keep: fc.option(fc.subarray(['spec.a', 'spec.b', 'metadata.managedFields', '*']), {
    nil: undefined,
  }),
  project: fc.constantFrom(undefined, project),
  managers: fc.subarray(['sites', 'pages']),
  indexes: fc.subarray(indexes),
});

test('what unites two serves both, whoever came first, and nothing wider comes of repeating', () => {
  const property = fc.property(needsArbitrary, needsArbitrary, (a, b) => {
    const both = uniteNeeds(a, b);
    assert.ok(coversNeeds(both, a) && coversNeeds(both, b));
    assert.ok(coversNeeds(both, uniteNeeds(b, a)) && coversNeeds(uniteNeeds(b, a), both));
    assert.ok(coversNeeds(a, a));
    assert.deepEqual(uniteNeeds(both, a), both);
  });
  fc.assert(property, { numRuns: 300 });
});
