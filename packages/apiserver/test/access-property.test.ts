import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { created, jane, named, podReader, pods, rbac } from './granted-access.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const aggregateTo = 'example.com/aggregate-to-all';
const roles = `${rbac}/namespaces/default/roles`;
const bindings = `${rbac}/namespaces/default/rolebindings`;
const clusterRoles = `${rbac}/clusterroles`;

/** One right that comes and goes. */
interface Story {
  /** Whether the binding is to a Role, a ClusterRole, or one that gathers the rules of another. */
  readonly through: 'Role' | 'ClusterRole' | 'gathering' | 'gathering twice';
  readonly isBoundFirst: boolean;
  readonly takenBy: 'binding' | 'role' | 'rules';
  /** Other writes, under way when the one that counts is answered. */
  readonly besides: number;
}

const story: fc.Arbitrary<Story> = fc.record({
  through: fc.constantFrom('Role', 'ClusterRole', 'gathering', 'gathering twice'),
  isBoundFirst: fc.boolean(),
  takenBy: fc.constantFrom('binding', 'role', 'rules'),
  besides: fc.nat({ max: 3 }),
});

it('a right counts for the request after the answer to what gave it, and no longer than it', async () => {
  await using server = await openServer();
  for (const [name, from] of [
    ['gathers', aggregateTo],
    ['gathers-twice', 'example.com/gathers'],
  ] as const) {
    const clusterRoleSelectors = [{ matchLabels: { [from]: 'true' } }];
    const labels = name === 'gathers' ? { 'example.com/gathers': 'true' } : {};
    const body = { metadata: { name, labels }, aggregationRule: { clusterRoleSelectors } };
    await created(server.ask('POST', clusterRoles, { body }));
  }
  await fc.assert(
    fc.asyncProperty(story, (told) => comesAndGoes(server, told)),
    { numRuns: 1000 },
  );
});

async function comesAndGoes(server: OpenedServer, told: Story): Promise<void> {
  const { through, isBoundFirst, takenBy, besides } = told;
  const place = through === 'Role' ? roles : clusterRoles;
  const others = Array.from({ length: besides }, (_, i) => write(server, `other-${i}`));
  const labels = through.startsWith('gathering') ? { [aggregateTo]: 'true' } : {};
  const role = { metadata: { name: 'reader', labels }, rules: [podReader] };
  const bound = { gathering: 'gathers', 'gathering twice': 'gathers-twice' };
  const roleRef =
    through === 'Role' || through === 'ClusterRole'
      ? { kind: through, name: 'reader' }
      : { kind: 'ClusterRole', name: bound[through] };
  const binding = named('b', { roleRef, subjects: [{ kind: 'User', name: jane.name }] });
  const gifts = [
    { path: place, body: role },
    { path: bindings, body: binding },
  ];
  for (const { path, body } of isBoundFirst ? gifts.toReversed() : gifts) {
    assert.equal(await mayList(server), false);
    await created(server.ask('POST', path, { body }));
  }
  assert.equal(await mayList(server), true);
  if (takenBy === 'rules') {
    const contentType = 'application/merge-patch+json';
    const body = { rules: [] };
    const { status } = await server.ask('PATCH', `${place}/reader`, { body, contentType });
    assert.equal(status, 200);
  } else {
    await remove(server, takenBy === 'binding' ? `${bindings}/b` : `${place}/reader`);
  }
  assert.equal(await mayList(server), false);
  if (takenBy !== 'binding') await remove(server, `${bindings}/b`);
  if (takenBy !== 'role') await remove(server, `${place}/reader`);
  await Promise.all(others);
}

async function mayList(server: OpenedServer): Promise<boolean> {
  const { status } = await server.ask('GET', pods, { user: jane });
  assert([200, 403].includes(status), String(status));
  return status === 200;
}

async function remove(server: OpenedServer, path: string): Promise<void> {
  assert.equal((await server.ask('DELETE', path)).status, 200);
}

async function write(server: OpenedServer, name: string): Promise<void> {
  const body = named(name, { data: {} });
  const path = '/api/v1/namespaces/default/configmaps';
  await created(server.ask('POST', path, { body }));
  await remove(server, `${path}/${name}`);
}
