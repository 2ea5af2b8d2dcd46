import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { revision, startRig } from './rig.ts';

/** An Instance elsewhere: it is reached by host and port alone. */
async function remote(t: TestContext, answer: string): Promise<{ host: string; port: number }> {
  const server = createServer((_, response) => response.end(answer));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address: AddressInfo | string | null = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { host: '127.0.0.1', port: address.port };
}

test('Instances that are reached over TCP are called, told apart and replaced as others are', async (t) => {
  const rig = await startRig(t);
  const local = await rig.instance((_, response) => response.end('local'));
  const [one, two] = [await remote(t, 'one'), await remote(t, 'two')];
  const ask = async (): Promise<string> => (await fetch(rig.url)).text();
  rig.gateway.setEndpoints(revision, [{ id: 'a', ...one }]);
  assert.equal(await ask(), 'one');
  // The same name elsewhere is another Instance, as after a restart of its Pod.
  rig.gateway.setEndpoints(revision, [{ id: 'a', ...two }]);
  assert.equal(await ask(), 'two');
  const { id, socketPath } = local;
  rig.gateway.setEndpoints(revision, [{ id, socketPath }]);
  assert.equal(await ask(), 'local');
  // Nobody listens at an address of a Pod that is gone.
  rig.gateway.setEndpoints(revision, [{ id: 'gone', host: '127.0.0.1', port: 1 }]);
  assert.equal((await fetch(rig.url)).status, 502);
});
