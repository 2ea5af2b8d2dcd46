/** What goes wrong for an operator is told in statuses and Events, and stops nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  ConfigMap,
  Event,
  kind,
  type ObjectShape,
  type OperatorOptions,
  operator,
  ready,
  Secret,
  terminal,
} from '@fnlet/sdk/operator';
import { testOperator } from '../src/operator-test.ts';
import { a, conditionOf, Site, start } from './site-operator.ts';

test('a run that fails is told in status and Events, tried again, and forgotten when well', async () => {
  let trouble: Error | undefined = new Error('the bucket is gone');
  const attempts: number[] = [];
  await using t = await testOperator(
    operator(Site, {
      reconcile({ attempt }) {
        attempts.push(attempt);
        if (trouble !== undefined) throw trouble;
        return { conditions: [ready()] };
      },
    }),
    { twice: false },
  );
  await t.create(Site, a);
  await t.tick('1s');
  const { status, message } = (await conditionOf(t, 'Reconciled')) ?? {};
  assert.deepEqual([status, message], ['False', 'the bucket is gone']);
  assert.ok(attempts.length > 3, `tried ${attempts.length} times`);
  const events = await t.list(Event);
  assert.ok(events.some(({ reason, type }) => reason === 'ReconcileFailed' && type === 'Warning'));
  trouble = undefined;
  await t.tick('10m');
  assert.equal((await conditionOf(t, 'Reconciled'))?.status, 'True');
});

test('a failure that says very much is told, as far as there is room', async () => {
  await using t = await start({
    reconcile() {
      throw new Error('€'.repeat(50_000));
    },
  });
  await t.create(Site, a);
  await t.cluster.settle();
  const { reason, message = '' } = (await conditionOf(t, 'Reconciled')) ?? {};
  assert.equal(reason, 'ReconcileFailed');
  assert.match(message, /^€{7999}…$/);
});

test('what trying again cannot help is told, and waits for the next change', async () => {
  const seen: string[] = [];
  await using t = await start({
    reconcile({ object }) {
      seen.push(object.spec.html);
      if (object.spec.html !== 'good') throw terminal('spec.html is no page');
      return { conditions: [ready()] };
    },
  });
  await t.create(Site, a);
  await t.tick('1h');
  assert.deepEqual(new Set(seen), new Set(['hi']));
  const runs = seen.length;
  await t.cluster.advance('5h');
  assert.equal(seen.length, runs, 'it is not tried again');
  const { reason, message } = (await conditionOf(t, 'Reconciled')) ?? {};
  assert.deepEqual([reason, message], ['Terminal', 'spec.html is no page']);
  await t.patch(Site, 'a', { spec: { html: 'good' } });
  await t.settle();
  assert.equal((await conditionOf(t, 'Reconciled'))?.status, 'True');
});

test('what is no answer, and kinds that nobody declared, are named', async () => {
  const answers: readonly [OperatorOptions<Site>['reconcile'], RegExp][] = [
    [() => JSON.parse('{"children": {}}'), /"children" of the answer: found \{\}, expected a list/],
    [
      () => JSON.parse('{"requeueAfter": 5}'),
      /"requeueAfter" of the answer: found 5, expected a dur/,
    ],
    [({ children }) => ({ status: { size: children(Secret).size } }), /does not declare it/],
    [
      () => ({ children: [Secret.of({ metadata: { name: 's' } })] }),
      /expected one that the operator/,
    ],
  ];
  for (const [reconcile, expected] of answers) {
    await using t = await testOperator(operator(Site, { reconcile }), { twice: false });
    await t.create(Site, a);
    await t.settle();
    const { status, message = '' } = (await conditionOf(t, 'Reconciled')) ?? {};
    assert.equal(status, 'False');
    assert.match(message, expected);
  }
});

test('without a finalizer, a child that no owner reference reaches is refused, and why is told', async () => {
  const child = ConfigMap.of({ metadata: { name: 'a', namespace: 'kube-public' } });
  await using t = await start({ owns: [ConfigMap], reconcile: () => ({ children: [child] }) });
  await t.create(Site, a);
  await t.settle();
  assert.equal((await conditionOf(t, 'Reconciled'))?.reason, 'OutOfReach');
});

test('what the account may not do is told in the words of the API', async () => {
  const reconcile: OperatorOptions<Site>['reconcile'] = () => ({
    require: [{ kind: Secret, key: { name: 'token' } }],
  });
  await using t = await testOperator(operator(Site, { reconcile }), { twice: false });
  await t.create(Site, a);
  await t.settle();
  const { reason, message = '' } = (await conditionOf(t, 'Reconciled')) ?? {};
  assert.equal(reason, 'Forbidden');
  assert.match(message, /User "operator" cannot get resource "secrets"/);
});

test('who is refused a child that another one has gets it when that one goes', async () => {
  const child = ConfigMap.of({ metadata: { name: 'same' } });
  await using t = await start({ owns: [ConfigMap], reconcile: () => ({ children: [child] }) });
  await t.create(Site, a);
  await t.settle();
  await t.create(Site, { metadata: { name: 'b' }, spec: {} });
  await t.settle();
  const reasonOf = async (): Promise<string | undefined> =>
    (await t.get(Site, 'b'))?.status?.conditions?.[0]?.reason;
  assert.equal(await reasonOf(), 'ForeignOwner');
  await t.delete(Site, 'a');
  await t.settle();
  assert.equal(await reasonOf(), 'Applied');
  const owners = (await t.get(ConfigMap, 'same'))?.metadata.ownerReferences ?? [];
  assert.deepEqual(
    owners.map(({ name }) => name),
    ['b'],
  );
});

test('a fight over a field ends, is told with the name of the other, and is tried again later', async () => {
  const child = ConfigMap.of({ metadata: { name: 'x' }, data: { v: 'mine' } });
  const only = operator(Site, { owns: [ConfigMap], reconcile: () => ({ children: [child] }) });
  await using t = await testOperator(only, { twice: false });
  await t.create(Site, a);
  await t.settle();
  for (let round = 0; round < 15; round++) {
    await t.patch(ConfigMap, 'x', { data: { v: 'theirs' } });
    await t.settle();
  }
  assert.equal((await t.get(ConfigMap, 'x'))?.data?.v, 'theirs');
  const { reason, message = '' } = (await conditionOf(t, 'Reconciled')) ?? {};
  assert.equal(reason, 'Contested');
  assert.match(message, /field manager "test" writes \.data\.v/);
  await t.tick('2m');
  assert.equal((await t.get(ConfigMap, 'x'))?.data?.v, 'mine');
  assert.equal((await conditionOf(t, 'Reconciled'))?.status, 'True');
});

test('children that cannot be written are told one by one; the others and the status are', async () => {
  const bad = JSON.parse('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"no":1}');
  const good = ConfigMap.of({ metadata: { name: 'good' } });
  const reconcile = (): Answer => ({ children: [bad, good], conditions: [ready()] });
  const only = operator(Site, { owns: [ConfigMap], reconcile });
  await using t = await testOperator(only, { twice: false });
  await t.create(Site, a);
  await t.settle();
  assert.notEqual(await t.get(ConfigMap, 'good'), undefined);
  assert.equal((await conditionOf(t, 'Ready'))?.status, 'True');
  assert.match((await conditionOf(t, 'Reconciled'))?.message ?? '', /\.no: field not declared/);
});

test('a status that the schema refuses is told instead of itself', async () => {
  const reconcile = (): Answer => JSON.parse('{"status":{"size":"large"}}');
  const only = operator(Site, { reconcile });
  await using t = await testOperator(only, { twice: false });
  await t.create(Site, a);
  await t.settle();
  assert.match(
    (await conditionOf(t, 'Reconciled'))?.message ?? '',
    /\.status\.size: expected numeric/,
  );
});

test('a run beyond its deadline is told so, whatever it throws then', async () => {
  const reconcile: OperatorOptions<Site>['reconcile'] = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('told to stop')));
    });
  const only = operator(Site, { deadline: '5s', reconcile });
  await using t = await testOperator(only, { twice: false });
  await t.create(Site, a);
  await t.tick('6s');
  assert.equal((await conditionOf(t, 'Reconciled'))?.reason, 'DeadlineExceeded');
});

test('a kind that is owned and not served is named by the test kit', async () => {
  const Gone = kind<ObjectShape>({
    group: 'nobody.dev',
    version: 'v1',
    kind: 'Gone',
    plural: 'gones',
    scope: 'Namespaced',
  });
  await using t = await start({ owns: [Gone], reconcile: () => ({}) });
  await t.create(Site, a);
  await assert.rejects(t.settle(), { code: 'KindNotServed', message: /"gones" cannot be read/ });
});

test('a run that fails says of the new generation that it failed, and nothing else', async () => {
  await using t = await start({
    reconcile({ object }) {
      if (object.spec.html === 'bad') throw new Error('no such page');
      return { status: { url: object.spec.html }, conditions: [ready()] };
    },
  });
  await t.create(Site, a);
  await t.settle();
  await t.patch(Site, 'a', { spec: { html: 'bad' } });
  await t.settle();
  const { status } = (await t.get(Site, 'a')) ?? {};
  assert.deepEqual([status?.observedGeneration, status?.url], [1, 'hi']);
  const told = ['Ready', 'Reconciled'].map((type) => {
    const found = status?.conditions?.find((condition) => condition.type === type);
    return [found?.status, found?.observedGeneration];
  });
  assert.deepEqual(told, [
    ['True', 1],
    ['False', 2],
  ]);
  await t.patch(Site, 'a', { spec: { html: 'good' } });
  await t.settle();
  assert.equal((await t.get(Site, 'a'))?.status?.observedGeneration, 3);
});

test('a status that somebody else changes is said again, in its time; what is theirs stays', async () => {
  const reconcile = (): Answer<NonNullable<Site['status']>> => ({ status: { url: 'mine' } });
  // A second run of everything would say it at once.
  await using t = await testOperator(operator(Site, { reconcile }), { twice: false });
  await t.create(Site, a);
  await t.settle();
  t.clearWrites();
  await t.patchStatus(Site, 'a', { size: 7 });
  await t.tick('1m');
  assert.deepEqual(t.writes, []);
  await t.patchStatus(Site, 'a', { url: 'theirs' });
  await t.settle();
  assert.equal((await t.get(Site, 'a'))?.status?.url, 'theirs');
  await t.tick('5s');
  const { url, size } = (await t.get(Site, 'a'))?.status ?? {};
  assert.deepEqual([url, size], ['mine', 7]);
  assert.equal(t.writes.length, 1);
});
