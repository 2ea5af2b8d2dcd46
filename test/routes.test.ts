/** Triggers of type http: hosts and paths of one's own, in a real Fnlet, over its real sockets. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { createAuthority, signServerCertificate } from '@fnlet/client/tls';
import { createApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { openTriggers, type TestTriggers } from './trigger-access.ts';
import { until } from './until.ts';

interface Triggers extends TestTriggers {
  applyHttp(name: string, http: object): Promise<void>;
}

async function openHttpTriggers(fnlet: FnletProcess): Promise<Triggers> {
  const triggers = await openTriggers(fnlet);
  const target = { function: 'hello' };
  return {
    ...triggers,
    applyHttp: (name, http) => triggers.apply(name, { source: { http }, target }),
  };
}

/** Status and body of a GET, sent to a port of this machine; fetch() would set Host itself. */
function get(port: number, host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: '127.0.0.1', port, path, headers: { host }, agent: false },
      async (answer) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        resolve(`${answer.statusCode} ${Buffer.concat(chunks)}`);
      },
    );
    asking.once('error', reject);
    asking.end();
  });
}

const echo =
  'export default (r) => new URL(r.url).pathname + (r.headers.get("x-fnlet-parameters") ?? "");';

test('a Trigger publishes a Function under a host and paths of its own', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const triggers = await openHttpTriggers(fnlet);
  const port = Number(new URL(fnlet.endpoints.gateway).port);
  const hosts = ['shop.example.com'];
  await triggers.applyHttp('shop', {
    hosts,
    paths: [{ prefix: '/api' }, { pattern: '/users/{id}' }],
    rewrite: { path: '/v1' },
  });
  assert.equal(await triggers.ready('shop'), 'False FunctionNotFound');
  assert.match(await get(port, 'shop.example.com', '/api'), /^503 .*does not exist/);

  // Its route is there already: nothing of the Trigger is touched.
  await api.applyFunction('hello', { source: { inline: echo } });
  await api.waitReady('hello');
  assert.equal(await get(port, 'shop.example.com', '/api/x'), '200 /v1/x');
  assert.equal(await get(port, 'shop.example.com', '/users/7'), '200 /v1id=7');
  assert.match(await get(port, 'shop.example.com', '/default/hello'), /^404/);
  assert.equal(await get(port, '127.0.0.1', '/default/hello/x'), '200 /x');
  await until(async () => (await triggers.ready('shop')) === 'True Ready', { what: 'Ready' });

  await triggers.applyHttp('shop', { hosts, methods: ['POST'] });
  await until(async () => (await get(port, 'shop.example.com', '/')).startsWith('405'), {
    what: 'the changed route',
  });
  await triggers.close();
  await api.close();
});

/** Names that the certificate is for, and the answer to a GET over TLS. */
function getTls(port: number, servername: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername, ca }, () => {
      const { subjectaltname } = socket.getPeerCertificate();
      socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
      socket.on('data', (data) => {
        resolve(`${subjectaltname} ${data.toString().slice(9, 12)}`);
        socket.destroy();
      });
    });
    socket.once('error', reject);
  });
}

test('a Trigger brings the certificate of its host, which follows its Secret', async () => {
  await using fnlet = await startFnlet({ args: ['--https-port', '0'] });
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const triggers = await openHttpTriggers(fnlet);
  const port = Number(new URL(fnlet.endpoints.gatewayTls ?? '').port);
  const hosts = ['shop.example.com'];
  const terms = { commonName: 'shop', now: Date.now(), lifeMs: 3_600_000 };
  const authority = await createAuthority({ ...terms, commonName: 'authority' });
  const putCertificate = async (names: readonly string[]): Promise<void> => {
    const { certPem, keyPem } = await signServerCertificate(authority, names, terms);
    const stringData = { 'tls.crt': certPem, 'tls.key': keyPem };
    const secret = { kind: 'Secret', name: 'shop-tls', type: 'kubernetes.io/tls', stringData };
    await api.applyCore('secrets', secret);
  };
  await api.applyFunction('hello', { source: { inline: echo } });
  await api.waitReady('hello');
  await triggers.applyHttp('shop', { hosts, tls: { secretName: 'shop-tls' } });
  assert.equal(await triggers.ready('shop'), 'False CertificateNotFound');
  await putCertificate(hosts);
  await until(async () => (await triggers.ready('shop')) === 'True Ready', { what: 'Ready' });
  const ca = authority.certPem;
  assert.equal(await getTls(port, 'shop.example.com', ca), 'DNS:shop.example.com 200');
  // Without one of its own, a host that is published is shown what the Gateway makes for itself.
  await triggers.applyHttp('other', { hosts: ['other.example.com'] });
  await assert.rejects(getTls(port, 'other.example.com', ca), /unable to verify/);

  await putCertificate([...hosts, 'new.example.com']);
  await until(
    async () => (await getTls(port, 'shop.example.com', ca)).includes('DNS:new.example.com'),
    { what: 'the new certificate' },
  );
  await triggers.close();
  await api.close();
});

test('after a restart who is let in at all is answered as before', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const first = await startFnlet({ dataDirectory });
    const api = await createApi(first.endpoints.kubeconfig);
    const triggers = await openHttpTriggers(first);
    const { port } = new URL(first.endpoints.gateway);
    await api.applyFunction('hello', { source: { inline: echo } });
    await triggers.applyHttp('shop', { hosts: ['shop.example.com'] });
    await api.waitReady('hello');
    await until(async () => (await triggers.ready('shop')) === 'True Ready', { what: 'Ready' });
    await triggers.close();
    await api.close();
    await first.stop('SIGKILL');

    const starting = startFnlet({ dataDirectory, args: ['--http-port', port] });
    const answers = new Set<string>();
    await until(
      async () => {
        const asking = [
          get(Number(port), 'shop.example.com', '/a'),
          get(Number(port), '127.0.0.1', '/default/hello/a'),
        ];
        const answered = await Promise.all(asking.map((each) => each.catch(() => 'not let in')));
        for (const answer of answered) answers.add(answer);
        return answered.every((answer) => answer === '200 /a');
      },
      { what: 'the Function to answer' },
    );
    const second = await starting;
    await second.stop();
    answers.delete('not let in');
    assert.deepEqual([...answers], ['200 /a']);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
