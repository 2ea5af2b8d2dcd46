/** What an operator's answers become, seen from outside: objects, statuses, Events, writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  ConfigMap,
  cel,
  Deployment,
  done,
  generationChanged,
  labelsChanged,
  type MapToKeys,
  Namespace,
  type OperatorOptions,
  operator,
  or,
  ready,
  Secret,
} from '@fnlet/sdk/operator';
import { testOperator } from '../src/operator-test.ts';
import { a, conditionOf, Site, start } from './site-operator.ts';

/** An operator with one ConfigMap a site, and a count of its runs. */
function counted(options: Partial<OperatorOptions<Site>> = {}) {
  const runs: string[] = [];
  const reconcile = ({ object }: { readonly object: Site }): Answer => {
    runs.push(object.metadata.name);
    const { name } = object.metadata;
    return { children: [ConfigMap.of({ metadata: { name }, data: { html: object.spec.html } })] };
  };
  return { runs, options: { owns: [ConfigMap], reconcile, ...options } };
}

test('the status tells of the generation that was read, and that all was written', async () => {
  await using t = await start(counted().options);
  await t.create(Site, a);
  await t.settle();
  const site = await t.get(Site, 'a');
  assert.equal(site?.status?.observedGeneration, 1);
  const { status, reason } = (await conditionOf(t, 'Reconciled')) ?? {};
  assert.deepEqual([status, reason], ['True', 'Applied']);
});

test('a status that is left out stays; what is no longer said goes', async () => {
  let answer: Answer<NonNullable<Site['status']>> = { status: { url: 'http://a', size: 1 } };
  await using t = await start({
    reconcile: () => answer,
    when: or(generationChanged, labelsChanged),
  });
  await t.create(Site, a);
  await t.settle();
  answer = { conditions: [ready()] };
  await t.patch(Site, 'a', { metadata: { labels: { run: '2' } } });
  await t.settle();
  const second = (await t.get(Site, 'a'))?.status;
  assert.deepEqual([second?.url, second?.size], ['http://a', 1]);
  answer = { status: { url: 'http://b' } };
  await t.patch(Site, 'a', { metadata: { labels: { run: '3' } } });
  await t.settle();
  const third = (await t.get(Site, 'a'))?.status;
  assert.deepEqual([third?.url, third?.size], ['http://b', undefined]);
  assert.equal((await conditionOf(t, 'Ready'))?.status, 'True');
});

test('only changes that count run it: generation, unless "when" says otherwise', async () => {
  const plain = counted();
  await using t = await testOperator(operator(Site, plain.options), { twice: false });
  await t.create(Site, a);
  await t.settle();
  const before = plain.runs.length;
  await t.patch(Site, 'a', { metadata: { labels: { x: 'y' }, annotations: { x: 'y' } } });
  await t.settle();
  assert.equal(plain.runs.length, before);
  await t.patch(Site, 'a', { spec: { html: 'new' } });
  await t.settle();
  assert.ok(plain.runs.length > before);
});

test('an expression decides before any code runs', async () => {
  const chosen = counted({ when: cel`object.metadata.?labels[?'tier'].orValue('') == 'web'` });
  await using t = await testOperator(operator(Site, chosen.options), { twice: false });
  await t.create(Site, a);
  await t.create(Site, { metadata: { name: 'b', labels: { tier: 'web' } }, spec: {} });
  await t.settle();
  assert.deepEqual([...new Set(chosen.runs)], ['b']);
});

test('what somebody else changes is put right, also where only some fields are kept', async () => {
  const reconcile = ({ object }: { readonly object: Site }): Answer => ({
    children: [
      Deployment.of({
        metadata: { name: object.metadata.name },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'a' } },
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ name: 'web', image: 'node:24-slim' }] },
          },
        },
      }),
      ConfigMap.of({ metadata: { name: object.metadata.name }, data: { html: 'x' } }),
    ],
  });
  const owns = [Deployment.keep('status.readyReplicas'), ConfigMap.keep('data.other')];
  await using t = await start({ owns, reconcile });
  await t.create(Site, a);
  await t.settle();
  await t.patch(Deployment, 'a', { spec: { replicas: 5 } });
  await t.patch(ConfigMap, 'a', { data: { html: 'changed' } });
  await t.settle();
  assert.equal((await t.get(Deployment, 'a'))?.spec?.replicas, 2);
  assert.equal((await t.get(ConfigMap, 'a'))?.data?.html, 'x');
  t.clearWrites();
  await t.patchStatus(Deployment, 'a', { readyReplicas: 1, replicas: 1 });
  await t.patch(Deployment, 'a', { metadata: { labels: { theirs: 'x' } } });
  await t.settle();
  assert.deepEqual(t.writes, []);
});

test('a child that is no longer wanted is deleted; [] deletes all; nothing said leaves all', async () => {
  const named = (...names: string[]): Answer => ({
    children: names.map((name) => ConfigMap.of({ metadata: { name } })),
  });
  let answer: Answer = named('one', 'two');
  const when = labelsChanged;
  await using t = await start({ owns: [ConfigMap], when, reconcile: () => answer });
  await t.create(ConfigMap, { metadata: { name: 'foreign' } });
  await t.create(Site, a);
  await t.settle();
  const steps: readonly [Answer, string[]][] = [
    [named('two', 'three'), ['foreign', 'three', 'two']],
    [{}, ['foreign', 'three', 'two']],
    [{ children: [] }, ['foreign']],
  ];
  for (const [index, [next, expected]] of steps.entries()) {
    answer = next;
    await t.patch(Site, 'a', { metadata: { labels: { step: String(index) } } });
    await t.settle();
    const maps = await t.list(ConfigMap);
    const names = maps
      .filter(({ data }) => data === undefined)
      .map(({ metadata }) => metadata.name);
    assert.deepEqual(names.toSorted(), expected);
  }
});

test('a stage waits until those before it are ready', async () => {
  const reconcile = (): Answer => ({
    children: [
      Deployment.of({
        metadata: { name: 'db' },
        spec: {
          selector: { matchLabels: { app: 'db' } },
          template: {
            metadata: { labels: { app: 'db' } },
            spec: { containers: [{ name: 'db', image: 'node:24-slim' }] },
          },
        },
      }),
      [ConfigMap.of({ metadata: { name: 'web' } })],
    ],
  });
  await using t = await start({ owns: [Deployment, ConfigMap], reconcile });
  await t.create(Site, a);
  await t.settle();
  assert.equal(await t.get(ConfigMap, 'web'), undefined);
  assert.equal((await conditionOf(t, 'Reconciled'))?.reason, 'NotReady');
  const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
  await t.patchStatus(Deployment, 'db', { ...counts, observedGeneration: 1 });
  await t.settle();
  assert.notEqual(await t.get(ConfigMap, 'web'), undefined);
  assert.equal((await conditionOf(t, 'Reconciled'))?.status, 'True');
});

test('objects that an answer requires are read, and it is asked again with them', async () => {
  const reconcile: OperatorOptions<Site>['reconcile'] = ({ related, object }) => {
    const rounds = object.spec.html === 'greedy' ? ['token', 'x', 'y', 'z', 'v', 'w'] : ['token'];
    const next = rounds.find((name) => {
      try {
        return related(Secret).get(name) === undefined;
      } catch {
        return true;
      }
    });
    if (next !== undefined) return { require: [{ kind: Secret, key: { name: next } }] };
    return { status: { url: related(Secret).get('token')?.data?.url ?? '' } };
  };
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'token', namespace: 'default' },
      data: { url: 'YQ==' },
    },
  ];
  // What is required is not declared: the right to read it is given by hand.
  await using t = await testOperator(operator(Site, { reconcile }), {
    objects,
    restricted: false,
    twice: false,
  });
  await t.create(Site, a);
  await t.settle();
  assert.equal((await t.get(Site, 'a'))?.status?.url, 'YQ==');
  await t.patch(Site, 'a', { spec: { html: 'greedy' } });
  await t.settle();
  assert.equal((await conditionOf(t, 'Reconciled'))?.reason, 'TooManyRequirements');
});

test('cleanup runs before the object goes, as often as it takes; foreign finalizers stay', async () => {
  const calls: string[] = [];
  let isFreed = false;
  await using t = await testOperator(
    operator(Site, {
      reconcile: ({ object }) => {
        calls.push(`make with ${object.metadata.finalizers?.join()}`);
        return {};
      },
      cleanup: () => {
        calls.push('free');
        return isFreed ? done() : { requeueAfter: '30s' };
      },
    }),
    { twice: false },
  );
  await t.create(Site, { ...a, metadata: { name: 'a', annotations: {} } });
  await t.patch(Site, 'a', { metadata: { finalizers: ['theirs.dev/x'] } });
  await t.settle();
  assert.equal(calls[0], 'make with theirs.dev/x,fnlet.dev/sites.example.dev');
  await t.delete(Site, 'a');
  await t.settle();
  assert.ok(calls.includes('free'));
  assert.equal((await t.get(Site, 'a'))?.metadata.finalizers?.length, 2);
  isFreed = true;
  await t.tick('30s');
  assert.deepEqual((await t.get(Site, 'a'))?.metadata.finalizers, ['theirs.dev/x']);
  const count = calls.length;
  await t.patch(Site, 'a', { metadata: { finalizers: null } });
  await t.settle();
  assert.equal(await t.get(Site, 'a'), undefined);
  assert.equal(calls.length, count);
});

test('children in other namespaces are cleaned up, though no owner reference reaches them', async () => {
  const child = ConfigMap.of({ metadata: { name: 'a', namespace: 'kube-public' } });
  const reconcile = (): Answer => ({ children: [child] });
  await using t = await start({ owns: [ConfigMap], finalizer: true, reconcile });
  await t.create(Site, a);
  await t.settle();
  const there = { name: 'a', namespace: 'kube-public' };
  assert.notEqual(await t.get(ConfigMap, there), undefined);
  assert.deepEqual((await t.get(Site, 'a'))?.metadata.finalizers, ['fnlet.dev/sites.example.dev']);
  await t.delete(Site, 'a');
  await t.settle();
  assert.equal(await t.get(ConfigMap, there), undefined);
  assert.equal(await t.get(Site, 'a'), undefined);
});

test('a paused object is left alone until it is not', async () => {
  const { runs, options } = counted();
  await using t = await start(options);
  await t.create(Site, {
    ...a,
    metadata: { name: 'a', annotations: { 'fnlet.dev/paused': 'true' } },
  });
  await t.settle();
  assert.deepEqual(runs, []);
  await t.patch(Site, 'a', { metadata: { annotations: { 'fnlet.dev/paused': null } } });
  await t.settle();
  assert.notEqual(await t.get(ConfigMap, 'a'), undefined);
});

const mappings: readonly (readonly [string, MapToKeys<ConfigMap> | string])[] = [
  ['a function', ({ metadata }) => ({ name: metadata.labels?.for ?? '' })],
  ['an expression', 'object.metadata.labels["for"]'],
];

for (const [by, map] of mappings) {
  test(`a watched object concerns those that its old and its new form name, by ${by}`, async () => {
    const seen: string[] = [];
    await using t = await testOperator(
      operator(Site, {
        watches: [ConfigMap.select('for').mapTo(map)],
        reconcile: ({ object, related }) => {
          const { name } = object.metadata;
          const mine = [...related(ConfigMap)].filter(
            ({ metadata }) => metadata.labels?.for === name,
          );
          seen.push(`${name}:${mine.length}`);
          return {};
        },
      }),
      { twice: false },
    );
    await t.create(Site, a);
    await t.create(Site, { metadata: { name: 'b' }, spec: {} });
    await t.create(ConfigMap, { metadata: { name: 'm', labels: { for: 'a' } } });
    await t.settle();
    seen.length = 0;
    await t.patch(ConfigMap, 'm', { metadata: { labels: { for: 'b' } } });
    await t.settle();
    assert.deepEqual(seen.toSorted(), ['a:0', 'b:1']);
  });
}

test('an operator for a kind of the whole cluster owns children in any namespace', async () => {
  await using t = await testOperator(
    operator(Namespace, {
      name: 'quotas',
      select: 'team',
      owns: [ConfigMap],
      reconcile: ({ object }) => ({
        children: [ConfigMap.of({ metadata: { name: 'rules', namespace: object.metadata.name } })],
      }),
    }),
  );
  await t.create(Namespace, { metadata: { name: 'blue', labels: { team: 'blue' } } });
  await t.create(Namespace, { metadata: { name: 'grey' } });
  await t.settle();
  assert.notEqual(await t.get(ConfigMap, { name: 'rules', namespace: 'blue' }), undefined);
  assert.equal(await t.get(ConfigMap, { name: 'rules', namespace: 'grey' }), undefined);
  t.clearWrites();
  await t.delete(ConfigMap, { name: 'rules', namespace: 'blue' });
  await t.settle();
  assert.notEqual(await t.get(ConfigMap, { name: 'rules', namespace: 'blue' }), undefined);
});
