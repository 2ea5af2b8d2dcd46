import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import fc from 'fast-check';
import {
  configMap,
  configMapType,
  createSite,
  deployment,
  type OperatorWorld,
  roleBinding,
  service,
  startOperatorWorld,
  withoutManagedFields,
} from './operator-world.ts';

const children = [
  deployment('web'),
  service('web'),
  configMap('web', { a: '1' }),
  roleBinding('web'),
];

/** A world in which the children are as desired. */
async function settledWorld(): Promise<{ world: OperatorWorld; site: KubeObject }> {
  const world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, children);
  world.takeWrites();
  return { world, site };
}

/** `object` with other fields in its spec. */
function withSpec(object: KubeObject, fields: object): KubeObject {
  return { ...object, spec: { ...(isJsonObject(object.spec) ? object.spec : {}), ...fields } };
}

function withAnnotations(object: KubeObject, annotations: Record<string, string>): KubeObject {
  const { metadata } = object;
  const all = { ...metadata.annotations, ...annotations };
  return { ...object, metadata: { ...metadata, annotations: all } };
}

test('children are created once, and a second pass writes nothing', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const outcomes = await world.pass(site, children);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['created', 'created', 'created', 'created'],
  );
  assert.equal(world.takeWrites().length, 4);
  const again = await world.pass(site, children);
  assert.deepEqual(
    again.map(({ kind }) => kind),
    ['skipped', 'skipped', 'skipped', 'skipped'],
  );
  assert.deepEqual(world.takeWrites(), []);
});

test('after a restart, managedFields tell that nothing is to be written', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  await world.pass(site, children, { writer: world.restarted() });
  assert.deepEqual(world.takeWrites(), []);
});

test('after a restart, what is no longer wanted is applied away', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  await world.pass(site, [...children.slice(0, 2), configMap('web', {}), children[3] ?? []], {
    writer: world.restarted(),
  });
  assert.deepEqual(world.takeWrites(), ['patch configmaps']);
  assert.deepEqual((await world.live('ConfigMap', 'web')).data ?? {}, {});
});

test('without managedFields in the cache, a restart costs one write per child and no more', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  const view = withoutManagedFields;
  const writer = world.restarted();
  await world.pass(site, children, { writer, view });
  assert.equal(world.takeWrites().length, 4);
  await world.pass(site, children, { writer, view });
  assert.deepEqual(world.takeWrites(), []);
});

test('the drift of an own field costs one write, of a foreign field none', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  const web = await world.live('Deployment', 'web');
  await world.meddle(withAnnotations(withSpec(web, { paused: true }), { note: 'mine' }));
  world.takeWrites();
  await world.pass(site, children);
  assert.deepEqual(world.takeWrites(), []);
  await world.meddle(withSpec(await world.live('Deployment', 'web'), { replicas: 3 }));
  world.takeWrites();
  const outcomes = await world.pass(site, children);
  assert.deepEqual(world.takeWrites(), ['patch deployments']);
  assert.ok(outcomes.some((child) => child.kind === 'applied' && child.isEffective));
  const { spec, metadata } = await world.live('Deployment', 'web');
  assert.ok(isJsonObject(spec) && spec.replicas === 1 && spec.paused === true);
  assert.equal(metadata.annotations?.note, 'mine');
  await world.pass(site, children);
  assert.deepEqual(world.takeWrites(), []);
});

test('drift is seen without managedFields as well', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  const view = withoutManagedFields;
  const web = await world.live('Service', 'web');
  await world.meddle(withSpec(web, { sessionAffinity: 'ClientIP' }));
  await world.meddle({ ...(await world.live('ConfigMap', 'web')), data: { a: '2' } });
  world.takeWrites();
  await world.pass(site, children, { view });
  assert.deepEqual(world.takeWrites(), ['patch configmaps']);
  await world.pass(site, children, { view });
  assert.deepEqual(world.takeWrites(), []);
});

test('a child whose managedFields were wiped settles, and still loses what is no longer wanted', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  const patch = { type: 'merge', patch: { metadata: { managedFields: [{}] } } } as const;
  const maps = world.cluster.client.of<KubeObject>(configMapType);
  await maps.patch({ namespace: 'default', name: 'web' }, patch);
  assert.equal((await world.live('ConfigMap', 'web')).metadata.managedFields, undefined);
  world.takeWrites();
  await world.pass(site, children);
  assert.deepEqual(world.takeWrites(), []);
  // Who remembers nothing applies, and takes the fields from the owner that the server made up.
  const writer = world.restarted();
  await world.pass(site, children, { writer });
  assert.deepEqual(world.takeWrites(), ['patch configmaps', 'patch configmaps']);
  await world.pass(site, children, { writer });
  await world.pass(site, children, { writer: world.restarted() });
  assert.deepEqual(world.takeWrites(), []);
  await world.pass(site, [...children.slice(0, 2), configMap('web', { b: '2' })], { writer });
  assert.deepEqual((await world.live('ConfigMap', 'web')).data, { b: '2' });
});

test('a cache that keeps only a part of a child costs one write for its first news, then none', async () => {
  const { world, site } = await settledWorld();
  await using _ = world;
  const view = ({ apiVersion, kind, metadata, status }: KubeObject): KubeObject =>
    withoutManagedFields({ apiVersion, kind, metadata, status });
  await world.pass(site, children, { view });
  assert.deepEqual(world.takeWrites(), []);
  const notes: string[][] = [];
  for (const note of ['1', '2', '3']) {
    await world.meddle(withAnnotations(await world.live('Deployment', 'web'), { note }));
    world.takeWrites();
    await world.pass(site, children, { view });
    notes.push([...world.takeWrites()]);
  }
  assert.deepEqual(notes, [['patch deployments'], [], []]);
});

test('an own write that was not read back yet is not repeated', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, [configMap('web', { a: '1' })]);
  const old = await world.live('ConfigMap', 'web');
  await world.pass(site, [configMap('web', { a: '2' })]);
  world.takeWrites();
  const view = (object: KubeObject): KubeObject =>
    object.metadata.name === 'web' && object.kind === 'ConfigMap' ? old : object;
  const outcomes = await world.pass(site, [configMap('web', { a: '2' })], { view });
  assert.deepEqual(world.takeWrites(), []);
  assert.ok(outcomes.some((child) => child.kind === 'skipped' && child.reason === 'Stale'));
});

const cpu = fc.constantFrom('1', '1000m', '1.5', '1500m', '0.1', 2);
const wishes = fc.record({
  replicas: fc.integer({ min: 0, max: 3 }),
  cpu,
  env: fc.uniqueArray(fc.constantFrom('A', 'B', 'C'), { maxLength: 3 }),
  args: fc.option(fc.array(fc.constantFrom('-v', '-q'), { maxLength: 2 }), { nil: undefined }),
  tolerations: fc.constantFrom([], undefined, [{ key: 'a', operator: 'Exists' }]),
  securityContext: fc.constantFrom({}, undefined, { runAsUser: 1 }),
  fieldRef: fc.boolean(),
});

type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never;

function wishedDeployment(wish: Wish): KubeObject {
  const labels = { app: 'any' };
  const { replicas, args, tolerations, securityContext } = wish;
  const pod = { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
  const container = {
    name: 'main',
    image: 'any:1',
    args,
    env: [...wish.env.map((name) => ({ name, value: name })), ...(wish.fieldRef ? [pod] : [])],
    resources: { limits: { cpu: wish.cpu } },
  };
  const spec = { containers: [container], tolerations, securityContext };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'any' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}

test('whatever is wished one after the other, each wish settles with at most one write', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await fc.assert(
    fc.asyncProperty(wishes, async (wish) => {
      const desired = [wishedDeployment(wish)];
      // One wish a minute is no fight.
      await world.cluster.advance('1m');
      await world.pass(site, desired);
      assert.ok(world.takeWrites().length <= 1);
      await world.pass(site, desired);
      await world.pass(site, desired, { writer: world.restarted() });
      await world.pass(site, desired, { view: withoutManagedFields });
      assert.deepEqual(world.takeWrites(), []);
    }),
    { numRuns: 40 },
  );
});
