import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock, VirtualClock } from '@fnlet/base';
import { createJsonFetcher } from '../../src/policies.ts';
import { policyLimits } from '../../src/policy/policy-limits.ts';
import { createIdentity } from '../front-clients.ts';
import { gate } from '../rig.ts';

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(isAddress(address));
  return `http://127.0.0.1:${address.port}`;
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

const failed = { code: 'FetchFailed' };

test('a document is fetched and parsed', async (t) => {
  const url = await listen(t, (incoming, answer) => {
    answer.end(JSON.stringify({ path: incoming.url, accept: incoming.headers.accept }));
  });
  const fetchJson = createJsonFetcher({ clock: systemClock });
  assert.deepEqual(await fetchJson(`${url}/a?b`), { path: '/a?b', accept: 'application/json' });
});

test('redirects, failures, what is no JSON and what is too much are refused', async (t) => {
  const url = await listen(t, (incoming, answer) => {
    if (incoming.url === '/redirect') answer.writeHead(302, { location: '/json' }).end();
    else if (incoming.url === '/json') answer.end('{}');
    else if (incoming.url === '/broken') answer.end('{');
    else if (incoming.url === '/cut') answer.writeHead(200, { 'content-length': 9 }).end('{}');
    else if (incoming.url === '/large') answer.end(`"${'x'.repeat(600_000)}"`);
    else answer.writeHead(500).end('{}');
  });
  const fetchJson = createJsonFetcher({ clock: systemClock });
  for (const path of ['/redirect', '/broken', '/large', '/error']) {
    await assert.rejects(fetchJson(url + path), failed, path);
  }
  for (const bad of ['http://127.0.0.1:1/', 'ftp://x/', 'nonsense', 'http://']) {
    await assert.rejects(fetchJson(bad), failed, bad);
  }
});

test('one that does not answer is given up in time', async (t) => {
  const clock = new VirtualClock();
  const asked = gate();
  const url = await listen(t, (_, answer) => {
    answer.write('{');
    asked.open();
  });
  const fetching = createJsonFetcher({ clock })(url);
  const refused = assert.rejects(fetching, { ...failed, message: /no answer within 5000 ms/ });
  await asked.opened;
  await clock.advance(policyLimits.issuerTimeoutMs);
  await refused;
});

test('over TLS only a server of a trusted authority is believed', async (t) => {
  const identity = await createIdentity();
  const { certPem: cert, keyPem: key } = await identity.sign('localhost');
  const server = createTlsServer({ cert, key }, (_, answer) => answer.end('{"a":1}'));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(isAddress(address));
  const url = `https://localhost:${address.port}/`;
  const authorities = identity.caPem;
  assert.deepEqual(await createJsonFetcher({ clock: systemClock, authorities })(url), { a: 1 });
  await assert.rejects(createJsonFetcher({ clock: systemClock })(url), failed);
  const elsewhere = url.replace('localhost', '127.0.0.1');
  const misnamed = createJsonFetcher({ clock: systemClock, authorities })(elsewhere);
  await assert.rejects(misnamed, failed);
});
