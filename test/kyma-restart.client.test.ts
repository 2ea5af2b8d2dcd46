/** Kyma Functions outlive the process: what runs them after a restart is what ran them before. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { manifestOf } from './kyma-clients.ts';
import { until } from './until.ts';

async function kubectl(fnlet: FnletProcess, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args, { input });
  assert.equal(code, 0, stderr);
  return stdout;
}

const running = ['wait', '--for=condition=Running', 'fns/kept', '--timeout=60s'];
const identity = ['get', 'fn/kept', '-o', 'jsonpath={.metadata.uid} {.metadata.generation}'];

async function call({ endpoints }: FnletProcess): Promise<string> {
  return (await fetch(`${endpoints.gateway}/default/kept`)).text();
}

test('a restart keeps the Function, and the controller goes on', async () => {
  const dataDirectory = await makeDataDirectory();
  const kept = (text: string): string => {
    const source = `module.exports = { main: () => '${text}' };`;
    return JSON.stringify(manifestOf({ name: 'kept', source }));
  };
  try {
    const before = await startFnlet({ dataDirectory });
    await kubectl(before, ['apply', '-f', '-'], kept('one'));
    await kubectl(before, running);
    const known = await kubectl(before, identity);
    await before.stop('SIGKILL');
    const after = await startFnlet({ dataDirectory });
    try {
      await kubectl(after, running);
      assert.equal(await call(after), 'one');
      assert.equal(await kubectl(after, identity), known);
      await kubectl(after, ['apply', '-f', '-'], kept('two'));
      await until(async () => (await call(after)) === 'two', { what: 'the edit' });
    } finally {
      await after.stop();
    }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
