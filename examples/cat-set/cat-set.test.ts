import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PersistentVolumeClaim, Pod } from 'fnlet/operator';
import { type OperatorTest, testOperator } from 'fnlet/testing';
import catSets, { CatSet } from './cat-set.ts';

const three = { metadata: { name: 'cat' }, spec: { replicas: 3, image: 'cat:1' } };

/** What is there: names of Pods with their images. */
async function podsOf(t: OperatorTest): Promise<string[]> {
  const pods = await t.list(Pod);
  return pods
    .map(({ metadata, spec }) => `${metadata.name} ${spec?.containers?.[0]?.image}`)
    .sort();
}

async function becomeReady(t: OperatorTest, name: string): Promise<void> {
  await t.patchStatus(Pod, name, { conditions: [{ type: 'Ready', status: 'True' }] });
  await t.settle();
}

test('Pods come up one after the other', async () => {
  await using t = await testOperator(catSets);
  await t.create(CatSet, three);
  await t.settle();
  assert.deepEqual(await podsOf(t), ['cat-0 cat:1']);
  await becomeReady(t, 'cat-0');
  assert.deepEqual(await podsOf(t), ['cat-0 cat:1', 'cat-1 cat:1']);
  await becomeReady(t, 'cat-1');
  await becomeReady(t, 'cat-2');
  const { status } = (await t.get(CatSet, 'cat')) ?? {};
  assert.equal(status?.readyReplicas, 3);
  assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
});

test('a new image renews them one at a time, from the last', async () => {
  await using t = await testOperator(catSets);
  await t.create(CatSet, three);
  await t.settle();
  for (const name of ['cat-0', 'cat-1', 'cat-2']) await becomeReady(t, name);
  await t.patch(CatSet, 'cat', { spec: { image: 'cat:2' } });
  await t.settle();
  assert.deepEqual(await podsOf(t), ['cat-0 cat:1', 'cat-1 cat:1', 'cat-2 cat:2']);
  await becomeReady(t, 'cat-2');
  assert.deepEqual(await podsOf(t), ['cat-0 cat:1', 'cat-1 cat:2', 'cat-2 cat:2']);
});

test('of fewer Pods the last go, and their volumes stay for when they come back', async () => {
  await using t = await testOperator(catSets);
  await t.create(CatSet, three);
  await t.settle();
  for (const name of ['cat-0', 'cat-1', 'cat-2']) await becomeReady(t, name);
  await t.patch(CatSet, 'cat', { spec: { replicas: 1 } });
  await t.settle();
  assert.deepEqual(await podsOf(t), ['cat-0 cat:1']);
  const claims = await t.list(PersistentVolumeClaim);
  assert.deepEqual(claims.map(({ metadata }) => metadata.name).sort(), ['cat-0', 'cat-1', 'cat-2']);
});
