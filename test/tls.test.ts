/** A real Fnlet over TLS: its certificates, both protocols, what the function sees. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { createApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

let fnlet: FnletProcess;
let ca: string;
let port: number;
before(async () => {
  fnlet = await startFnlet({ args: ['--https-port', '0'] });
  ca = await readFile(join(fnlet.dataDirectory, 'pki', 'ca.crt'), 'utf8');
  port = Number(new URL(fnlet.endpoints.gatewayTls ?? '').port);
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const source = { inline: 'export default (request) => request.url;' };
  await api.applyFunction('mirror', { runtime: 'nodejs24', source });
  await api.waitReady('mirror');
  await api.close();
});
after(() => fnlet[Symbol.asyncDispose]());

function get(host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: host, path, ca, agent: false as const };
    const asking = request({ ...options, headers: { host: `${host}:${port}` } }, (answer) => {
      text(answer).then(resolve, reject);
    });
    asking.on('error', reject);
    asking.end();
  });
}

test('each host has a certificate that the authority of the data directory signed', async () => {
  assert.equal(await get('localhost', '/default/mirror/a'), `https://localhost:${port}/a`);
  const own = 'mirror.default.localhost';
  assert.equal(await get(own, '/a?b=1'), `https://${own}:${port}/a?b=1`);
  const routed = 'mirror.default.example.org';
  assert.equal(await get(routed, '/'), `https://${routed}:${port}/`);
  await assert.rejects(get('nobody.example.org', '/'), /altnames/);
});

test('a client that asks by address is shown a certificate for it', async () => {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  assert.ok(socket.authorized);
  socket.destroy();
});

test('HTTP/2 reaches the function by either port', async () => {
  const authorities = [`https://localhost:${port}`, fnlet.endpoints.gateway];
  for (const authority of authorities) {
    const session = connectHttp2(authority, { ca });
    const stream = session.request({ ':path': '/default/mirror/x' });
    assert.equal(await text(stream), `${authority}/x`);
    await new Promise<void>((resolve) => session.close(resolve));
  }
});

test('who does not ask for TLS has no port for it', async () => {
  await using plain = await startFnlet();
  assert.equal('gatewayTls' in plain.endpoints, false);
});
