import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { describe, it } from 'node:test';
import { TLSSocket as Secured, type TLSSocket } from 'node:tls';
import { createAuthority, signServerCertificate } from '@fnlet/client/tls';
import { at } from './at.ts';
import { grant, jane } from './granted-access.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const host = 'records.default.svc';
const group = 'records.example.dev';
const list = `/apis/${group}/v1/namespaces/default/letters`;

/** A server that is told of by an APIService, and tells what it was asked. */
async function openRemote(server: OpenedServer) {
  const terms = { commonName: host, now: Date.now(), lifeMs: 3_600_000 };
  const authority = await createAuthority({ ...terms, commonName: 'records-ca' });
  const { certPem: cert, keyPem: key } = await signServerCertificate(authority, [host], terms);
  await register(server, Buffer.from(authority.certPem).toString('base64'), 0);
  const ca = await frontProxyAuthority(server);
  const remote = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false });
  remote.on('request', (request, response) => {
    const socket: TLSSocket | undefined =
      request.socket instanceof Secured ? request.socket : undefined;
    const { method, url, headers, headersDistinct } = request;
    const client = {
      authorized: socket?.authorized,
      name: socket?.getPeerCertificate().subject.CN,
    };
    response.writeHead(method === 'DELETE' ? 409 : 200, { 'content-type': 'application/json' });
    const groups = headersDistinct['x-remote-group'];
    response.end(JSON.stringify({ kind: 'Told', method, url, headers, groups, client }));
  });
  remote.listen(0, '127.0.0.1');
  await once(remote, 'listening');
  const address = remote.address();
  assert.ok(typeof address === 'object' && address !== null);
  await register(server, Buffer.from(authority.certPem).toString('base64'), address.port);
  return {
    async [Symbol.asyncDispose]() {
      remote.closeAllConnections();
      remote.close();
      await once(remote, 'close');
    },
  };
}

async function register(server: OpenedServer, caBundle: string, port: number): Promise<void> {
  const apply = async (path: string, body: object): Promise<void> => {
    const query = { fieldManager: 'test', force: 'true' };
    const contentType = 'application/apply-patch+yaml';
    const { status, body: said } = await server.ask('PATCH', path, { query, body, contentType });
    assert.ok(status < 300, JSON.stringify(said));
  };
  const core = '/api/v1/namespaces/default';
  const metadata = { name: 'records' };
  const ports = [{ name: 'api', port: 443 }];
  await apply(`${core}/services/records`, {
    ...{ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } },
  });
  const subset = { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'api', port }] };
  const subsets = port === 0 ? [] : [subset];
  await apply(`${core}/endpoints/records`, {
    ...{ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets },
  });
  const name = `v1.${group}`;
  await apply(`/apis/apiregistration.k8s.io/v1/apiservices/${name}`, {
    ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name } },
    spec: {
      ...{ group, version: 'v1', caBundle, groupPriorityMinimum: 10, versionPriority: 10 },
      service: { namespace: 'default', name: 'records', port: 443 },
    },
  });
}

/** What the server tells of itself as a front proxy, once somebody needs it. */
async function frontProxyAuthority(server: OpenedServer): Promise<string> {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  for (;;) {
    const { status, body } = await server.ask('GET', path);
    if (status === 200) return String(at(body, '/data/requestheader-client-ca-file'));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What was told, of an answer that was passed on as it came. */
function told(body: unknown): unknown {
  return JSON.parse(String(body));
}

describe('a group of an APIService', () => {
  it('is answered by its server, which is told who asks and nothing of their credentials', async () => {
    await using server = await openServer();
    await using _remote = await openRemote(server);
    const { status, body } = await server.ask('GET', list, {
      query: { trigger: 'a', limit: '5' },
      headers: { authorization: 'Bearer secret', 'x-remote-user': 'root', accept: 'text/plain' },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(at(told(body), '/url'), `${list}?trigger=a&limit=5`);
    assert.deepEqual(at(told(body), '/client'), { authorized: true, name: 'front-proxy-client' });
    assert.equal(at(told(body), '/headers/x-remote-user'), 'admin');
    assert.deepEqual(at(told(body), '/groups'), ['system:masters', 'system:authenticated']);
    assert.equal(at(told(body), '/headers/authorization'), undefined);
    assert.equal(at(told(body), '/headers/host'), host);
    const refused = await server.ask('DELETE', `${list}/a`);
    assert.equal(refused.status, 409, 'what it answers is passed on');
  });

  it('is asked only by those who may, before anybody is', async () => {
    await using server = await openServer();
    await using _remote = await openRemote(server);
    assert.equal((await server.ask('GET', list, { user: jane })).status, 403);
    const rule = { apiGroups: [group], resources: ['letters'], verbs: ['list'] };
    await grant(server, { user: jane.name, namespace: 'default' }, [rule]);
    const { body } = await server.ask('GET', list, { user: jane });
    assert.equal(at(told(body), '/headers/x-remote-user'), jane.name);
    const elsewhere = list.replace('/default/', '/other/');
    assert.equal((await server.ask('GET', elsewhere, { user: jane })).status, 403);
  });

  it('is discovered, in the documents of groups and by its own server', async () => {
    await using server = await openServer();
    await using _remote = await openRemote(server);
    const groups = await server.ask('GET', '/apis', { headers: { accept: 'application/json' } });
    assert.match(JSON.stringify(groups.body), /"records\.example\.dev"/);
    const own = await server.ask('GET', `/apis/${group}`);
    assert.equal(at(own.body, '/preferredVersion/version'), 'v1');
    const resources = await server.ask('GET', `/apis/${group}/v1`);
    assert.equal(at(told(resources.body), '/url'), `/apis/${group}/v1`);
  });

  it('answers 503 while nobody is there, or is not trusted, and 404 once it is gone', async () => {
    await using server = await openServer();
    await register(server, '', 0);
    const nobody = await server.ask('GET', list);
    assert.equal(nobody.status, 503);
    assert.match(JSON.stringify(nobody.body), /no endpoints available for service/);
    await using _remote = await openRemote(server);
    assert.equal((await server.ask('GET', list)).status, 200);
    const other = await createAuthority({
      commonName: 'other',
      now: Date.now(),
      lifeMs: 3_600_000,
    });
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`;
    const caBundle = Buffer.from(other.certPem).toString('base64');
    const contentType = 'application/merge-patch+json';
    await server.ask('PATCH', path, { body: { spec: { caBundle } }, contentType });
    assert.equal((await server.ask('GET', list)).status, 503);
    await server.ask('DELETE', path);
    assert.equal((await server.ask('GET', list)).status, 404);
  });
});
