import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Claimant, RouteClaims } from './route-claims.ts';

const claimants = ['a', 'b', 'c', 'd'];
const claims = ['x', 'y', 'z'];

const someClaimant: fc.Arbitrary<Claimant> = fc.record({
  id: fc.constantFrom(...claimants),
  since: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
  claims: fc.uniqueArray(fc.constantFrom(...claims)),
});

/** Who holds what, by looking at everybody. */
function holders(asking: ReadonlyMap<string, Claimant>): ReadonlyMap<string, string | undefined> {
  return new Map(
    claims.map((claim) => {
      const rivals = [...asking.values()].filter((each) => each.claims.includes(claim));
      const [first] = rivals.map(({ since, id }) => `${since} ${id}`).sort();
      return [claim, first?.split(' ')[1]];
    }),
  );
}

test('the first who asked has it, and everybody is named whom a change concerns', () => {
  const change = fc.oneof(
    fc.record({ set: someClaimant }),
    fc.record({ remove: fc.constantFrom(...claimants) }),
  );
  const property = fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
    const table = new RouteClaims();
    const asking = new Map<string, Claimant>();
    for (const each of changes) {
      const before = holders(asking);
      const id = 'set' in each ? each.set.id : each.remove;
      if ('set' in each) asking.set(id, each.set);
      else asking.delete(id);
      const concerned = 'set' in each ? table.set(each.set) : table.remove(id);
      const after = holders(asking);
      for (const claim of claims) {
        assert.equal(table.holder(claim), after.get(claim));
        if (before.get(claim) === after.get(claim)) continue;
        for (const other of [before.get(claim), after.get(claim)]) {
          if (other !== undefined && other !== id) assert.ok(concerned.has(other), `${other}`);
        }
      }
      assert.ok(!concerned.has(id));
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test('asking for the same again concerns nobody', () => {
  const table = new RouteClaims();
  const since = '2026-01-01T00:00:00Z';
  table.set({ id: 'a', since, claims: ['x'] });
  assert.deepEqual([...table.set({ id: 'b', since, claims: ['x', 'y'] })], ['a']);
  assert.deepEqual([...table.set({ id: 'b', since, claims: ['x', 'y'] })], []);
  assert.equal(table.holder('nothing'), undefined);
});
