import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as inFunction from '@fnlet/sdk/operator';
import * as inProcess from './operator.ts';

test('a file that imports fnlet/operator is loaded in a Function as in a process of its own', () => {
  const missing = Object.keys(inProcess).filter((name) => !(name in inFunction));
  assert.deepEqual(missing, []);
});

test('what only a process of its own can do says so in a Function', async () => {
  const text = /^Cannot .* inside of a Function/;
  await assert.rejects(inFunction.run(), { message: text });
  const { createManager, poll, channel, webhook } = inFunction;
  for (const call of [createManager, poll, channel, webhook]) {
    assert.throws(() => call(), { message: text }, call.name);
  }
});
