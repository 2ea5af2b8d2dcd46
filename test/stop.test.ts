/** Ctrl-C: what is in flight may finish, and nothing else is waited for. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFnlet } from './fnlet-process.ts';

test('a stop does not wait for clients that left their watch', async () => {
  await using fnlet = await startFnlet();
  const source = join(fnlet.dataDirectory, 'hello.js');
  await writeFile(source, "export default () => 'hello';");
  // It watches the Function until it is ready, and then goes away in the middle of the watch.
  const deployed = await fnlet.cli(['deploy', 'hello', source]);
  assert.equal(deployed.code, 0, deployed.stderr);
  const startMs = performance.now();
  assert.equal(await fnlet.stop('SIGINT'), 0);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 1500, `took ${Math.round(tookMs)} ms`);
});
