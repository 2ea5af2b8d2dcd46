import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gate, route, startRig } from './rig.ts';

/** Long enough for a Gateway that reads to have answered. */
async function pass(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const request = 'GET /default/hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

test('who comes before the routes are known waits, and is answered as if they had been', async (t) => {
  const { open, opened } = gate();
  const rig = await startRig(t, { opened });
  rig.gateway.removeRoute('default', 'hello');
  const early = rig.client();
  early.send(request);
  const gone = rig.client();
  gone.send(request);
  gone.socket.destroy();
  await pass();
  assert.equal(early.received, '');
  rig.gateway.setRoute(route({ revision: undefined }));
  open();
  assert.match(await early.untilEnd(), /^HTTP\/1.1 503 [\s\S]*is not ready/);
  assert.match(await rig.exchange(request), /^HTTP\/1.1 503/);
});

test('so many wait, and no more', async (t) => {
  const { open, opened } = gate();
  const rig = await startRig(t, { opened, limits: { connectionsMax: 1 } });
  const first = rig.client();
  first.send(request);
  await pass();
  assert.equal(await rig.exchange(request), '');
  open();
  await first.until((received) => received.startsWith('HTTP/1.1 '));
});

test('who still waits when it closes is sent away', async (t) => {
  const rig = await startRig(t, { opened: new Promise(() => {}) });
  const early = rig.client();
  early.send(request);
  await pass();
  await rig.gateway.close({ graceMs: 0 });
  assert.equal(await early.untilEnd(), '');
});
