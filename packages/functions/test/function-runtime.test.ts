/** Which runtime a Function runs on, as its conditions and Events tell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FnletError } from '@fnlet/base';
import { createMachine, World } from './world.ts';

test('an unknown runtime is told, with those that there are, and put right by an edit', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', { runtime: 'cobol85' });
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'UnknownRuntime');
  assert.match(ready.message ?? '', /"cobol85".*expected one of nodejs22, .*python3\.14/);
  assert.equal((await world.get('hello')).status?.runtime, undefined);
  await world.apply('hello', { runtime: 'nodejs24' });
  assert.equal((await world.ready('hello')).status?.runtime, 'nodejs24');
});

test('an edit to an unknown runtime leaves the Revision that serves alone', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', {});
  const { status } = await world.ready('hello');
  await world.apply('hello', { runtime: 'cobol85' });
  await world.condition('hello', 'Ready', 'False');
  assert.equal(await world.call('hello'), status?.revision);
});

test('a retired runtime runs on the nearest one, and says so', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', { runtime: 'nodejs8' });
  const { status } = await world.ready('hello');
  assert.equal(status?.runtime, 'nodejs24');
  const { message } = await world.condition('hello', 'Ready', 'True');
  assert.match(message ?? '', /Runtime nodejs8 is retired: the code runs on nodejs24/);
  const events = await world.events('hello');
  const warning = events.find(({ reason }) => reason === 'RetiredRuntime');
  assert.equal(warning?.type, 'Warning');
  const [instance] = world.executor.instances();
  assert.deepEqual(
    [instance?.revision.runtime, instance?.revision.runsOn],
    ['nodejs8', 'nodejs24'],
  );
});

test('a runtime that is fetched shows it, and why it cannot be', async () => {
  await using world = await new World(createMachine()).start();
  const { runtimes } = world.machine;
  const fetching = Promise.withResolvers<void>();
  runtimes.gate = fetching.promise;
  await world.apply('hello', { runtime: 'nodejs22' });
  await world.until(async () =>
    JSON.stringify((await world.get('hello')).status ?? '').includes('Fetching nodejs22'),
  );
  const message = 'Cannot fetch Node.js 22: nobody answers';
  fetching.reject(new FnletError('RegistryUnreachable', message, { retry: 'later' }));
  const failed = await world.condition('hello', 'DependenciesReady', 'False');
  assert.deepEqual([failed.reason, failed.message], ['RegistryUnreachable', message]);
  runtimes.gate = Promise.resolve();
  world.patienceMs = 20_000;
  assert.equal((await world.ready('hello')).status?.runtime, 'nodejs22');
});

test('a runtime of no more use is let go: after a deletion, and after an edit', async () => {
  await using world = await new World(createMachine()).start();
  for (const name of ['one', 'two']) {
    await world.apply(name, { runtime: 'nodejs22' });
    await world.ready(name);
  }
  await world.functions.delete({ namespace: 'default', name: 'one' });
  await world.until(() => world.executor.instances().length === 1);
  await world.advance(1_000);
  assert.deepEqual(world.unusedRuntimes, []);
  await world.apply('two', { runtime: 'nodejs24' });
  await world.ready('two');
  await world.until(() => world.unusedRuntimes.includes('nodejs22'));
  assert.deepEqual(world.unusedRuntimes, ['nodejs22']);
});
