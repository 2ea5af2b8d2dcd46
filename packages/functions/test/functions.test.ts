import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine, World } from './world.ts';

test('a new Function gets a Revision, is proven, and answers', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', {});
  const { status } = await world.ready('hello');
  assert.match(status?.revision ?? '', /^hello-[0-9a-f]{10}$/);
  assert.equal(status?.url, 'http://gateway/default/hello');
  assert.equal(status?.observedGeneration, 1);
  assert.equal(await world.call('hello'), status?.revision);
  assert.deepEqual(await world.services(), ['hello']);
});
