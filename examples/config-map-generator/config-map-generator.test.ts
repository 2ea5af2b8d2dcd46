import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from 'fnlet/operator';
import { testOperator } from 'fnlet/testing';
import generator, { GeneratedConfig } from './config-map-generator.ts';

const literals = { metadata: { name: 'app' }, spec: { literals: { mode: 'fast' } } };

test('what is in it decides the name; the former ConfigMap goes', async () => {
  await using t = await testOperator(generator);
  await t.create(GeneratedConfig, literals);
  await t.settle();
  const first = (await t.get(GeneratedConfig, 'app'))?.status?.configMap ?? '';
  assert.match(first, /^app-[0-9a-f]{10}$/);
  assert.deepEqual((await t.get(ConfigMap, first))?.data, { mode: 'fast' });

  await t.patch(GeneratedConfig, 'app', { spec: { literals: { mode: 'slow' } } });
  await t.settle();
  const second = (await t.get(GeneratedConfig, 'app'))?.status?.configMap ?? '';
  assert.notEqual(second, first);
  assert.equal(await t.get(ConfigMap, first), undefined);

  await t.patch(GeneratedConfig, 'app', { spec: { literals: { mode: 'fast' } } });
  await t.settle();
  assert.equal((await t.get(GeneratedConfig, 'app'))?.status?.configMap, first);
});

test('it waits for its sources, follows them, and its own literals win', async () => {
  await using t = await testOperator(generator);
  const spec = { from: ['base'], literals: { mode: 'fast' } };
  await t.create(GeneratedConfig, { metadata: { name: 'app' }, spec });
  await t.settle();
  const waiting = (await t.get(GeneratedConfig, 'app'))?.status?.conditions ?? [];
  assert.ok(waiting.some(({ reason }) => reason === 'SourceMissing'));

  const labels = { 'example.dev/feeds': 'app' };
  await t.create(ConfigMap, { metadata: { name: 'base', labels }, data: { mode: 'x', size: '1' } });
  await t.settle();
  const before = (await t.get(GeneratedConfig, 'app'))?.status?.configMap ?? '';
  assert.deepEqual((await t.get(ConfigMap, before))?.data, { mode: 'fast', size: '1' });

  await t.patch(ConfigMap, 'base', { data: { size: '2' } });
  await t.settle();
  const after = (await t.get(GeneratedConfig, 'app'))?.status?.configMap ?? '';
  assert.deepEqual((await t.get(ConfigMap, after))?.data, { mode: 'fast', size: '2' });
});
