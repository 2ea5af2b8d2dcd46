import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HostOwners } from './host-owners.ts';
import type { Claimant } from './route-claims.ts';

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T00:00:01Z';

function owners(...asking: readonly Claimant[]): HostOwners {
  const table = new HostOwners();
  for (const each of asking) table.set(each);
  return table;
}

test('a host belongs to the namespace that asked first, for all its Triggers', () => {
  const table = owners(
    { id: 'b/later', since: late, claims: ['shop.example.com'] },
    { id: 'a/first', since: early, claims: ['shop.example.com'] },
  );
  assert.equal(table.rival('b/later', 'shop.example.com'), 'a/first');
  assert.equal(table.rival('b/another', 'shop.example.com'), 'a/first');
  assert.equal(table.rival('a/another', 'shop.example.com'), undefined);
  assert.equal(table.rival('b/later', 'other.example.com'), undefined);
  assert.deepEqual([...table.remove('a/first')], ['b/later']);
  assert.equal(table.rival('b/later', 'shop.example.com'), undefined);
});

test('what is below a wildcard belongs to whoever has that, unless it was asked for before', () => {
  const wildcard = { id: 'a/all', since: early, claims: ['*.example.com'] };
  const table = owners(wildcard, { id: 'b/one', since: late, claims: ['x.y.example.com'] });
  assert.equal(table.rival('b/one', 'x.y.example.com'), 'a/all');
  assert.equal(table.rival('b/one', '*.y.example.com'), 'a/all');
  assert.equal(table.rival('b/one', 'example.com'), undefined);
  assert.equal(table.rival('a/other', 'x.y.example.com'), undefined);
  assert.deepEqual([...table.set({ ...wildcard, claims: ['*.z.example.com'] })], ['b/one']);
  assert.equal(table.rival('b/one', 'x.y.example.com'), undefined);
  const older = owners(
    { ...wildcard, since: late },
    { id: 'b/one', since: early, claims: ['x.example.com'] },
  );
  assert.equal(older.rival('b/one', 'x.example.com'), undefined);
  assert.equal(older.rival('a/all', 'x.example.com'), 'b/one');
  assert.equal(older.rival('a/all', '*.example.com'), undefined);
});

const hosts = ['x.a.b', 'y.a.b', 'a.b', '*.a.b', '*.b', '*.x.a.b'];
const ids = ['n/1', 'n/2', 'm/1', 'm/2', 'k/1'];
const someClaimant: fc.Arbitrary<Claimant> = fc.record({
  id: fc.constantFrom(...ids),
  since: fc.constantFrom(early, late),
  claims: fc.uniqueArray(fc.constantFrom(...hosts), { maxLength: 3 }),
});

/** The namespace of the first of all who ask for what covers the host. */
function ownerOf(host: string, asking: ReadonlyMap<string, Claimant>): string | undefined {
  const covers = (claim: string): boolean =>
    claim === host || (claim.startsWith('*') && host.endsWith(claim.slice(1)) && claim !== host);
  const [first] = [...asking.values()]
    .filter(({ claims }) => claims.some(covers))
    .map(({ since, id }) => `${since} ${id}`)
    .sort();
  return first?.split(' ')[1]?.split('/')[0];
}

test('after any changes a host is the namespace of the first who covers it, and all are named whom a change concerns', () => {
  const change = fc.oneof(
    fc.record({ set: someClaimant }),
    fc.record({ remove: fc.constantFrom(...ids) }),
  );
  const property = fc.property(fc.array(change, { maxLength: 15 }), (changes) => {
    const table = new HostOwners();
    const asking = new Map<string, Claimant>();
    const refused = (): ReadonlyMap<string, readonly string[]> =>
      new Map(
        [...asking.values()].map(({ id, claims }) => [
          id,
          claims.filter((host) => table.rival(id, host) !== undefined),
        ]),
      );
    for (const each of changes) {
      const before = refused();
      const id = 'set' in each ? each.set.id : each.remove;
      if ('set' in each) asking.set(id, each.set);
      else asking.delete(id);
      const concerned = 'set' in each ? table.set(each.set) : table.remove(id);
      for (const [other, hostsRefused] of refused()) {
        if (other !== id && before.get(other)?.join() !== hostsRefused.join()) {
          assert.ok(concerned.has(other), `${other} of ${JSON.stringify(each)}`);
        }
        for (const host of hosts) {
          const owner = ownerOf(host, asking);
          const mayHave = owner === undefined || owner === other.split('/')[0];
          assert.equal(table.rival(other, host) === undefined, mayHave, `${other} ${host}`);
        }
      }
      assert.ok(!concerned.has(id));
    }
  });
  fc.assert(property, { numRuns: 500 });
});
