import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Namespace, Secret } from 'fnlet/operator';
import { type OperatorTest, testOperator } from 'fnlet/testing';
import propagator from './propagator.ts';

const original = {
  metadata: {
    name: 'registry',
    labels: { 'example.dev/copied': 'yes' },
    annotations: { 'example.dev/copy-to': 'team-a,team-b' },
  },
  data: { token: 'YQ==' },
};

async function start(): Promise<OperatorTest> {
  const t = await testOperator(propagator);
  for (const name of ['team-a', 'team-b', 'team-c'])
    await t.create(Namespace, { metadata: { name } });
  await t.create(Secret, original);
  await t.settle();
  return t;
}

function tokenIn(t: OperatorTest, namespace: string): Promise<string | undefined> {
  const copy = t.get(Secret, { namespace, name: 'registry' });
  return copy.then((secret) => secret?.data?.token);
}

test('a Secret is where its annotation says, and nowhere else', async () => {
  await using t = await start();
  assert.deepEqual(
    await Promise.all(['team-a', 'team-b', 'team-c'].map((namespace) => tokenIn(t, namespace))),
    ['YQ==', 'YQ==', undefined],
  );
});

test('copies follow the original, and go with it', async () => {
  await using t = await start();
  await t.patch(Secret, 'registry', { data: { token: 'Yg==' } });
  await t.settle();
  assert.equal(await tokenIn(t, 'team-b'), 'Yg==');
  const annotations = { 'example.dev/copy-to': 'team-a,team-c' };
  await t.patch(Secret, 'registry', { metadata: { annotations } });
  await t.settle();
  assert.equal(await tokenIn(t, 'team-b'), undefined);
  assert.equal(await tokenIn(t, 'team-c'), 'Yg==');
  await t.delete(Secret, 'registry');
  await t.settle();
  assert.equal(await tokenIn(t, 'team-a'), undefined);
});

test('a namespace that comes later gets its copies; what somebody does to one is undone', async () => {
  await using t = await start();
  const annotations = { 'example.dev/copy-to': 'later' };
  await t.create(ConfigMap, {
    metadata: { ...original.metadata, name: 'words', annotations },
    data: { hello: 'hallo' },
  });
  await t.settle();
  await t.create(Namespace, { metadata: { name: 'later' } });
  await t.settle();
  const key = { namespace: 'later', name: 'words' };
  assert.deepEqual((await t.get(ConfigMap, key))?.data, { hello: 'hallo' });
  await t.patch(ConfigMap, key, { data: { hello: 'bonjour' } });
  await t.settle();
  assert.deepEqual((await t.get(ConfigMap, key))?.data, { hello: 'hallo' });
});
