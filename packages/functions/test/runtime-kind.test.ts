/** Runtimes: those that come with Fnlet, and those that are added. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeObject, RuntimeSpec } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import { createMachine, World } from './world.ts';

function manifest(name: string, spec: object): RuntimeObject {
  const type = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Runtime' };
  return { ...type, metadata: { name }, spec };
}

const ruby: RuntimeSpec = {
  command: ['ruby', 'runner.rb'],
  files: { 'runner.rb': 'loop {}' },
  aliases: ['ruby2.5'],
  extensions: ['.rb'],
};

async function started(): Promise<World> {
  return new World(createMachine()).start();
}

async function stateOf(world: World, name: string): Promise<string | undefined> {
  return (await world.runtimes.tryGet({ namespace: '', name }))?.status?.state;
}

const applied = { force: true };

test('the runtimes that come with Fnlet are there to be looked at, and come back', async () => {
  await using world = await started();
  await world.until(async () => (await stateOf(world, 'python3.14')) === 'absent');
  await world.until(async () => (await stateOf(world, 'nodejs24')) === 'own');
  assert.equal(await stateOf(world, 'nodejs22'), 'fetchable');
  const absent = await world.runtimes.get({ namespace: '', name: 'python3.14' });
  const available = findCondition(absent.status?.conditions, 'Available');
  assert.deepEqual([available?.status, available?.reason], ['False', 'ProgramNotFound']);
  await world.runtimes.delete({ namespace: '', name: 'nodejs24' });
  await world.until(async () => (await stateOf(world, 'nodejs24')) === 'own');
});

test('a runtime that was fetched is shown to be', async () => {
  await using world = await started();
  await world.until(async () => (await stateOf(world, 'nodejs22')) === 'fetchable');
  await world.apply('hello', { runtime: 'nodejs22' });
  await world.ready('hello');
  await world.until(async () => (await stateOf(world, 'nodejs22')) === 'fetched');
});

test('a Function waits for the Runtime that it names, by name or alias', async () => {
  await using world = await started();
  for (const runtime of ['ruby', 'ruby2.5']) {
    const name = runtime.replace('.', '-');
    await world.apply(name, { runtime, source: { inline: 'puts' } });
    assert.equal((await world.condition(name, 'Ready', 'False')).reason, 'UnknownRuntime');
  }
  await world.runtimes.apply(manifest('ruby', ruby), applied);
  assert.equal((await world.ready('ruby')).status?.runtime, 'ruby');
  assert.equal((await world.ready('ruby2-5')).status?.runtime, 'ruby');
  const { command, files } = ruby;
  const expected = { name: 'ruby', command, files, env: undefined };
  assert.deepEqual(world.machine.runtimes.added.get('ruby'), expected);
  const stored = [...world.machine.artifacts.stored.values()].map((source) => source.files);
  assert.deepEqual(stored[0], { 'handler.rb': 'puts' });
});

test('a Runtime that is changed is started anew; one that is deleted is unknown', async () => {
  await using world = await started();
  await world.runtimes.apply(manifest('ruby', ruby), applied);
  await world.apply('hello', { runtime: 'ruby' });
  const { status } = await world.ready('hello');
  assert.deepEqual(world.unusedRuntimes, []);
  const changed = manifest('ruby', { ...ruby, command: ['jruby', 'runner.rb'] });
  await world.runtimes.apply(changed, applied);
  await world.until(() => world.unusedRuntimes.includes('ruby'));
  assert.equal(world.machine.runtimes.added.get('ruby')?.command[0], 'jruby');
  await world.runtimes.delete({ namespace: '', name: 'ruby' });
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'UnknownRuntime');
  assert.equal(world.machine.runtimes.added.size, 0);
  assert.equal(await world.call('hello'), status?.revision);
});

const refused: readonly (readonly [what: string, name: string, spec: object, message: RegExp])[] = [
  ['no command', 'ruby', {}, /give a command, and a name that is none of those/],
  ['an empty command', 'ruby', { command: [] }, /spec\.command: .*at least 1 items/],
  ['the name of a builtin one', 'nodejs24', { command: ['x'] }, /give a command, and a name/],
  ['a name that is no runtime', '1st', { command: ['x'] }, /metadata\.name: .*should match/],
  ['a path as file name', 'ruby', { command: ['x'], fileName: '../x' }, /spec\.fileName: /],
  ['an ending without a dot', 'ruby', { command: ['x'], extensions: ['rb'] }, /extensions\[0\]/],
];

for (const [what, name, spec, message] of refused) {
  test(`a Runtime is refused: ${what}`, async () => {
    await using world = await started();
    await assert.rejects(world.runtimes.create(manifest(name, spec)), { message });
  });
}
