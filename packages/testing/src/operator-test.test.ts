import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  ConfigMap,
  defineKind,
  field,
  operator,
  progressing,
} from '@fnlet/sdk/operator';
import { testOperator } from './operator-test.ts';

const Note = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'Note',
  description: 'A note.',
  spec: { text: field.text('What it says.') },
});

const a = { metadata: { name: 'a' }, spec: { text: 'x' } };

const notes = operator(Note, {
  owns: [ConfigMap],
  reconcile: ({ object }): Answer => ({
    children: [
      ConfigMap.of({ metadata: { name: object.metadata.name }, data: { text: object.spec.text } }),
    ],
  }),
});

test('settle() fails when a second run writes again, and names what', async () => {
  const restless = operator(Note, {
    reconcile: ({ idempotencyKey }) => ({ conditions: [progressing('Busy', idempotencyKey)] }),
  });
  await using t = await testOperator(restless);
  await t.create(Note, a);
  await assert.rejects(t.settle(), {
    code: 'NotIdempotent',
    message: /found 1 writes of a second run.*patch notes\/status default\/a \(200\)/,
  });
});

test('operators may do only what they declare, unless told otherwise', async () => {
  const sneaky = operator(Note, {
    reconcile: () => ({ require: [{ kind: ConfigMap, key: { name: 'a' } }] }),
  });
  await using restricted = await testOperator(sneaky, { twice: false });
  await restricted.create(Note, a);
  await restricted.settle();
  const reason = (await restricted.get(Note, 'a'))?.status?.conditions?.[0]?.reason;
  assert.equal(reason, 'Forbidden');
});

test('whatever goes wrong on the way, the end is the same', async () => {
  const faults: readonly ((t: Awaited<ReturnType<typeof testOperator>>) => unknown)[] = [
    (t) => t.faults.conflict({ resource: 'configmaps' }),
    (t) => t.faults.unavailable({ resource: 'configmaps', times: 3 }),
    (t) => t.faults.fail({ resource: 'notes', subresource: 'status' }),
    (t) => t.faults.throttle({ resource: 'configmaps', verb: 'patch', retryAfterSeconds: 2 }),
    (t) => t.faults.loseAnswer({ resource: 'configmaps', verb: 'patch' }),
    (t) => t.faults.gone({ resource: 'notes' }),
    (t) => t.faults.dropWatches({ resource: 'notes' }),
  ];
  for (const breakSomething of faults) {
    await using t = await testOperator(notes);
    await t.create(Note, a);
    await t.settle();
    breakSomething(t);
    await t.patch(Note, 'a', { spec: { text: 'y' } });
    await t.tick('2m');
    assert.equal((await t.get(ConfigMap, 'a'))?.data?.text, 'y');
    const condition = (await t.get(Note, 'a'))?.status?.conditions?.[0];
    assert.equal(condition?.status, 'True', JSON.stringify(condition));
  }
});

test('the writes of the operators are told apart from those of the test', async () => {
  await using t = await testOperator(notes);
  await t.create(Note, a);
  assert.deepEqual(t.writes, []);
  await t.settle();
  assert.deepEqual(
    t.writes.map(({ verb, resource, subresource }) => [verb, resource, subresource]),
    [
      ['patch', 'configmaps', ''],
      ['patch', 'notes', 'status'],
    ],
  );
  t.clearWrites();
  assert.deepEqual(t.writes, []);
});

test('several operators run side by side, each under its own name', async () => {
  const second = operator(Note, {
    name: 'second.example.dev',
    owns: [ConfigMap],
    reconcile: ({ object }) => ({
      children: [ConfigMap.of({ metadata: { name: `${object.metadata.name}-copy` } })],
    }),
  });
  await using t = await testOperator([operator(Note, { reconcile: () => ({}) }), second]);
  await t.create(Note, a);
  await t.settle();
  const copy = await t.cluster.client
    .of({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true })
    .get({ namespace: 'default', name: 'a-copy' });
  assert.deepEqual(
    copy.metadata.managedFields?.map(({ manager }) => manager),
    ['second.example.dev'],
  );
});
