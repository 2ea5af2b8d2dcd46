/** That nobody works on the code of a Function any more, however they left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { developmentUntilAnnotation, type FunctionObject, functionType } from '@fnlet/api';
import { createMachine, namespace, World } from './world.ts';

async function putOff(world: World, name: string, ms: number): Promise<void> {
  const until = new Date(world.machine.clock.now() + ms).toISOString();
  const patch = { metadata: { annotations: { [developmentUntilAnnotation]: until } } };
  const functions = world.client.of<FunctionObject>(functionType);
  await functions.patch({ namespace, name }, { type: 'merge', patch });
}

test('a Function whose development nobody puts off is rolled out without it, until they do', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', {});
  const plain = (await world.ready('hello')).status?.revision;
  await putOff(world, 'hello', 60_000);
  await world.apply('hello', { development: true });
  await world.until(async () => (await world.get('hello')).status?.revision !== plain);
  const developed = (await world.ready('hello')).status?.revision;
  await world.advance(40_000);
  await putOff(world, 'hello', 60_000);
  await world.advance(59_000);
  assert.equal((await world.get('hello')).status?.revision, developed, 'it was put off');
  await world.until(async () => (await world.get('hello')).status?.revision === plain);
  assert.equal((await world.get('hello')).spec.development, true, 'what it says stays');
  // Whoever was without a network is there again.
  await putOff(world, 'hello', 60_000);
  await world.until(async () => (await world.get('hello')).status?.revision === developed);
});
