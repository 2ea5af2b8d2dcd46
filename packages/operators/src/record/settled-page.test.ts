import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  changePage,
  findSettled,
  isPage,
  type SettledEntry,
  settledDigest,
} from './settled-page.ts';

const idArbitrary = fc.integer({ min: 0, max: 60 }).map((n) => settledDigest(`uid-${n}`));
const entryArbitrary: fc.Arbitrary<SettledEntry | undefined> = fc.option(
  fc.record(
    { state: fc.string().map(settledDigest), dueMs: fc.integer({ min: 0, max: 2 ** 46 }) },
    { requiredKeys: ['state'], noNullPrototype: true },
  ),
  { nil: undefined },
);

test('a page has what was put into it last, and nothing else', () => {
  const changes = fc.array(fc.array(fc.tuple(idArbitrary, entryArbitrary)), { maxLength: 5 });
  const property = fc.property(changes, (batches) => {
    const model = new Map<string, SettledEntry>();
    let page = '';
    for (const batch of batches) {
      const last = new Map(batch);
      for (const [id, entry] of last) {
        if (entry === undefined) model.delete(id);
        else model.set(id, entry);
      }
      page = changePage(page, last);
      assert.ok(isPage(page));
    }
    for (let n = 0; n <= 60; n++) {
      const id = settledDigest(`uid-${n}`);
      assert.deepEqual(findSettled(page, id), model.get(id));
    }
    assert.equal(page.length, model.size * 41);
  });
  fc.assert(property, { numRuns: 200 });
});

test('the same entries make the same page, in whatever order they came', () => {
  const entry = { state: settledDigest('x') };
  const ids = ['a', 'b', 'c', 'd'].map(settledDigest);
  const forth = ids.reduce((page, id) => changePage(page, new Map([[id, entry]])), '');
  const back = ids.reduceRight((page, id) => changePage(page, new Map([[id, entry]])), '');
  assert.equal(forth, back);
});

test('what is cut off is no page', () => {
  const page = changePage('', new Map([[settledDigest('a'), { state: settledDigest('x') }]]));
  assert.equal(isPage(page.slice(1)), false);
  assert.equal(isPage(undefined), false);
  assert.equal(findSettled('', settledDigest('a')), undefined);
});
