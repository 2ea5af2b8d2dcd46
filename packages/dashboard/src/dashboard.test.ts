import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, silentLogger } from '@fnlet/base';
import { createDashboard } from './dashboard.ts';

const snapshot = () => ({
  version: '0.1.0',
  startedAtMs: 0,
  nowMs: 0,
  endpoints: [],
  kubeconfig: '/data/kubeconfig',
  dataDirectory: '/data',
  functions: [],
});

test('createDashboard() serves one page, read-only', async () => {
  const dashboard = createDashboard({ snapshot, logger: silentLogger });
  const { port } = await dashboard.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  const page = await fetch(base);
  assert.deepEqual(
    [page.status, page.headers.get('content-type')],
    [200, 'text/html; charset=utf-8'],
  );
  assert.match(await page.text(), /Fnlet is running/);
  assert.equal((await fetch(`${base}/nothing`)).status, 404);
  assert.equal((await fetch(base, { method: 'POST' })).status, 405);

  const second = createDashboard({ snapshot, logger: silentLogger });
  await assert.rejects(second.listen({ host: '127.0.0.1', port }), (error) =>
    hasCode(error, 'AddressInUse'),
  );
  await dashboard.close();
});

test('createDashboard() answers 500 and lives when the snapshot fails', async () => {
  const dashboard = createDashboard({
    snapshot: () => {
      throw new Error('no cache yet');
    },
    logger: silentLogger,
  });
  const { port } = await dashboard.listen({ host: '127.0.0.1', port: 0 });
  assert.equal((await fetch(`http://127.0.0.1:${port}`)).status, 500);
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  await dashboard.close();
});
