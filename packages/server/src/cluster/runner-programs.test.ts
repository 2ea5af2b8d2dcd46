import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { programBytesMax } from './limits.ts';
import { planProgram, readNodeProgram, readPythonProgram } from './runner-programs.ts';

const files = new Map([
  ['src/main.mjs', Buffer.from('one')],
  ['a/b/c.py', Buffer.from('two')],
]);

test('planProgram() keeps paths by keys that a ConfigMap may have', () => {
  const { items, configMap } = planProgram(files);
  assert.deepEqual(
    items.map(({ path }) => path),
    ['a/b/c.py', 'src/main.mjs'],
  );
  assert.ok(items.every(({ key }) => /^[-._a-zA-Z0-9]+$/.test(key)));
  assert.deepEqual(Reflect.get(configMap, 'data'), { 'file-0': 'two', 'file-1': 'one' });
  assert.equal(Reflect.get(configMap, 'immutable'), true);
});

test('planProgram() names a program by what is in it', () => {
  const { name } = planProgram(files);
  assert.match(name, /^fnlet-runner-[0-9a-f]{12}$/);
  assert.equal(planProgram(new Map([...files].reverse())).name, name);
  const edited = new Map(files).set('src/main.mjs', Buffer.from('onE'));
  assert.notEqual(planProgram(edited).name, name);
});

test('planProgram() refuses what no ConfigMap holds', () => {
  const large = new Map([['large', Buffer.alloc(programBytesMax + 1)]]);
  assert.throws(
    () => planProgram(large),
    (error) => hasCode(error, 'ProgramTooLarge'),
  );
});

test('the programs of this copy of Fnlet fit', async () => {
  const node = await readNodeProgram();
  const python = await readPythonProgram();
  for (const program of [node, python]) planProgram(program);
  for (const path of ['src/pod-main.mjs', 'rehearsal/web/handler.js']) assert.ok(node.has(path));
  for (const path of ['fnlet_runner/pod_main.py', 'doors/sdk.py']) assert.ok(python.has(path));
});
