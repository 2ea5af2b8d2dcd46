// Whatever happens to Triggers, in whichever order: the Gateway has what a fresh start would give it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatObjectKey } from '@fnlet/machinery';
import fc from 'fast-check';
import { World } from './world.ts';

const names = ['a', 'b', 'kube-public/a', 'kube-public/b'] as const;

const source = fc.record(
  {
    hosts: fc.uniqueArray(fc.constantFrom('x.test', '*.test'), { minLength: 1 }),
    paths: fc.array(
      fc.constantFrom({ prefix: '/' }, { exact: '/p' }, { pattern: '/{id}' }, { prefix: '/p/' }),
      { minLength: 1, maxLength: 2 },
    ),
    methods: fc.uniqueArray(fc.constantFrom('GET', 'POST'), { minLength: 1 }),
  },
  // To apply an empty object in place of another one removes it, as in a cluster.
  { requiredKeys: ['paths'] },
);

const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ apply: fc.constantFrom(...names), source }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.record({ wait: fc.constantFrom('1s', '3s') }) },
);

/** What the Gateway has, and what the Triggers say about it. */
async function picture(world: World): Promise<readonly string[]> {
  const { items } = await world.triggers.list({});
  const lines = items.map(async ({ metadata }) => {
    const name = formatObjectKey({ namespace: '', ...metadata });
    const { reason = '', message = '' } = (await world.ready(name)) ?? {};
    return `${name}: ${[...world.taken(name)].sort().join(', ')} (${reason}: ${message})`;
  });
  return [...(await Promise.all(lines)), `${world.routes.size} routes`].sort();
}

test('routes after any changes are those of a fresh start', async () => {
  const property = fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
    await using world = await World.start();
    await world.createFunction('hello');
    const present = new Set<string>();
    for (const each of changes) {
      if ('apply' in each) {
        await world.apply(each.apply, each.source);
        present.add(each.apply);
      } else if ('remove' in each) {
        if (present.delete(each.remove)) await world.delete(each.remove);
      } else {
        await world.cluster.advance(each.wait);
      }
    }
    const before = await picture(world);
    await world.restart();
    await world.listen();
    assert.deepEqual(before, await picture(world));
    assert.ok(!world.told.some((told) => told.startsWith('set')), world.told.join());
  });
  await fc.assert(property, { numRuns: 8 });
});
