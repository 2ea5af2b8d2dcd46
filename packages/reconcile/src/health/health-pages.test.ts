import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import type { WebHandler } from '../web-handler.ts';
import { syncedCheck } from './health-check.ts';
import { createHealthPages, type HealthPagesOptions } from './health-pages.ts';

function open(options: Partial<HealthPagesOptions> = {}): WebHandler {
  return createHealthPages({ clock: new VirtualClock(), logger: silentLogger, ...options });
}

async function get(pages: WebHandler, path: string): Promise<[number, string]> {
  const response = await pages(new Request(`http://localhost${path}`));
  return [response.status, await response.text()];
}

const broken = {
  name: 'broken',
  check(): void {
    throw new Error('a secret reason');
  },
};

test('a process that answers is healthy and ready', async () => {
  assert.deepEqual(await get(open(), '/healthz'), [200, 'ok']);
  assert.deepEqual(await get(open(), '/readyz?verbose'), [
    200,
    '[+]ping ok\nreadyz check passed\n',
  ]);
});

test('a check that fails is named, but not why', async () => {
  const pages = open({ readyz: [broken] });
  const text = '[+]ping ok\n[-]broken failed: reason withheld\nreadyz check failed\n';
  assert.deepEqual(await get(pages, '/readyz'), [500, text]);
  assert.deepEqual(await get(pages, '/healthz'), [200, 'ok']);
  assert.deepEqual(await get(pages, '/readyz?exclude=broken'), [200, 'ok']);
  assert.deepEqual(await get(pages, '/readyz/ping'), [200, 'ok']);
  assert.equal((await get(pages, '/readyz/broken'))[0], 500);
});

test('a check that hangs fails after its time', async () => {
  const clock = new VirtualClock();
  const hanging = { name: 'hanging', check: (): Promise<void> => new Promise(() => {}) };
  const asked = get(open({ clock, healthz: [hanging] }), '/healthz');
  await clock.advance(5_000);
  assert.equal((await asked)[0], 500);
  assert.equal(clock.timers, 0);
});

test('syncedCheck() passes once everything was read', async () => {
  const synced = Promise.withResolvers<void>();
  const pages = open({ readyz: [syncedCheck('sites', synced.promise)] });
  assert.equal((await get(pages, '/readyz'))[0], 500);
  synced.resolve();
  await synced.promise;
  assert.equal((await get(pages, '/readyz'))[0], 200);
});

test('metrics are served where there are some', async () => {
  assert.equal((await get(open(), '/metrics'))[0], 404);
  const pages = open({ metrics: () => 'up 1\n' });
  const response = await pages(new Request('http://localhost/metrics'));
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(await response.text(), 'up 1\n');
});

test('other pages and methods are refused', async () => {
  const pages = open();
  for (const path of ['/', '/livez', '/readyz/none', '/readyz/ping/more']) {
    assert.equal((await get(pages, path))[0], 404, path);
  }
  const posted = await pages(new Request('http://localhost/healthz', { method: 'POST' }));
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
});
