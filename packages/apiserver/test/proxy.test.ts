import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { statusError } from '@fnlet/machinery';
import type { PodRuntime, User } from '../src/index.ts';
import { at } from './at.ts';
import { grant, refused } from './granted-access.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const core = '/api/v1/namespaces/default';
const asRoot = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' };

/** A Pod whose port 8080 is that of a server, which tells what it was asked. */
async function openTarget(): Promise<AsyncDisposable & { readonly runtime: PodRuntime }> {
  const target: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const body = Buffer.concat(chunks).toString();
      if (url?.includes('cookies')) {
        response.setHeader('set-cookie', ['a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT', 'b=2']);
      }
      response.writeHead(method === 'DELETE' ? 404 : 200, { 'x-target': 'pod' });
      response.end(JSON.stringify({ method, url, headers, body }));
    });
  });
  target.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nx-target: pod\r\n');
    socket.write('connection: Upgrade\r\n\r\nwelcome ');
    socket.pipe(socket);
  });
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  const address = target.address();
  assert.ok(typeof address === 'object' && address !== null);
  const nothing = (): Promise<never> => Promise.reject(statusError('NotFound', 'nothing'));
  const runtime: PodRuntime = {
    async *logs() {},
    exec: nothing,
    attach: nothing,
    portForward: async (_pod, port) => connect(port === 8080 ? address.port : 1, '127.0.0.1'),
  };
  return {
    runtime,
    async [Symbol.asyncDispose]() {
      target.closeAllConnections();
      target.close();
      await once(target, 'close');
    },
  };
}

async function prepare(server: OpenedServer): Promise<void> {
  const ports = [{ containerPort: 8080 }];
  const make = (plural: string, body: object) => server.ask('POST', `${core}/${plural}`, { body });
  await make('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i', ports }] },
  });
  await make('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports: [{ name: 'web', port: 80, targetPort: 8080 }] },
  });
}

function setEndpoints(server: OpenedServer) {
  const targetRef = { kind: 'Pod', name: 'p', namespace: 'default' };
  const subset = {
    addresses: [{ ip: '10.0.0.1', targetRef }],
    ports: [{ name: 'web', port: 8080 }],
  };
  const body = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 's' }, subsets: [subset] };
  return server.ask('POST', `${core}/endpoints`, { body });
}

function told(body: unknown): unknown {
  return JSON.parse(String(body));
}

describe('the proxy', () => {
  it('sends a request to a Pod as it is, but for what is meant for the API', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    const { status, headers, body } = await server.ask('POST', `${core}/pods/p/proxy/a%20b//c`, {
      body: 'hello',
      contentType: 'text/plain',
      query: { watch: 'true', x: '1' },
      headers: { authorization: 'Bearer secret', 'x-mine': 'y', ...asRoot },
    });
    assert.equal(status, 200);
    assert.equal(headers['x-target'], 'pod');
    assert.equal(at(told(body), '/method'), 'POST');
    assert.equal(at(told(body), '/url'), '/a%20b//c?watch=true&x=1');
    assert.equal(at(told(body), '/body'), 'hello');
    assert.equal(at(told(body), '/headers/x-mine'), 'y');
    assert.equal(at(told(body), '/headers/authorization'), undefined);
    assert.equal(at(told(body), '/headers/impersonate-user'), undefined);
  });

  it('leaves to a Pod what its client takes, how a query is written, and each cookie', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    const { status, headers, body } = await server.server.handle({
      method: 'GET',
      path: `${core}/pods/p/proxy/`,
      query: new URLSearchParams('flag&text=a%20b&cookies=2'),
      search: 'flag&text=a%20b&cookies=2',
      headers: { accept: 'text/html' },
      user: { name: 'root', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
    assert.ok(status === 200 && body.kind === 'stream', `${status}`);
    const answer = JSON.parse(await text(body.chunks));
    assert.equal(at(answer, '/headers/accept'), 'text/html');
    assert.equal(at(answer, '/url'), '/?flag&text=a%20b&cookies=2');
    assert.equal(headers['set-cookie'], 'a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT\nb=2');
  });

  it('takes every method, and answers as the Pod answers', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    for (const [method, expected] of [
      ['GET', 200],
      ['PUT', 200],
      ['PATCH', 200],
      ['DELETE', 404],
    ] as const) {
      const { status, body } = await server.ask(method, `${core}/pods/http:p:8080/proxy/`);
      assert.equal(status, expected, method);
      assert.equal(at(told(body), '/method'), method);
    }
    const moved = await server.ask('GET', `${core}/pods/p/proxy`, { query: { a: 'b' } });
    assert.deepEqual([moved.status, moved.headers.location], [301, `${core}/pods/p/proxy/?a=b`]);
  });

  it('says what it cannot reach', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    const cases: readonly (readonly [string, number, RegExp])[] = [
      ['pods/q/proxy/', 404, /^pods "q" not found$/],
      ['pods/p:9/proxy/', 503, /^error trying to reach service: .*ECONNREFUSED/],
      ['pods/p:web/proxy/', 400, /^invalid port "web"$/],
      ['pods/ftp:p:9/proxy/', 400, /^invalid pod request "ftp:p:9"$/],
      ['services/s/proxy/', 503, /^no endpoints available for service "s"$/],
      ['services/s:81/proxy/', 503, /^no service port 81 found for service "s"$/],
    ];
    for (const [path, expected, message] of cases) {
      const { status, body } = await server.ask('GET', `${core}/${path}`);
      assert.equal(status, expected, path);
      assert.match(String(at(body, '/message')), message);
    }
  });

  it('finds a ready Pod behind a Service, by the name or the number of its port', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    await setEndpoints(server);
    for (const id of ['s', 's:web', 's:80', ':s:web']) {
      const { status, body } = await server.ask('GET', `${core}/services/${id}/proxy/x`);
      assert.equal(status, 200, id);
      assert.equal(at(told(body), '/url'), '/x');
    }
    const { status } = await server.ask('GET', `${core}/services/s:admin/proxy/x`);
    assert.equal(status, 503);
  });

  it('connects a WebSocket, with the answer and the first words of the Pod', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    const { status, headers, body } = await server.server.handle({
      method: 'GET',
      path: `${core}/pods/p/proxy/socket`,
      query: new URLSearchParams(),
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'k' },
      user: { name: 'root', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
    assert.equal(status, 101);
    assert.equal(headers['x-target'], 'pod');
    assert.ok(body.kind === 'upgrade');
    const [client, far] = duplexPair();
    const served = body.serve(far);
    client.end('hello');
    assert.equal(await text(client), 'welcome hello');
    await served;
  });

  it('is for those who may use it', async () => {
    await using target = await openTarget();
    await using server = await openServer({ podRuntime: target.runtime });
    await prepare(server);
    const user: User = { name: 'jane', groups: ['system:authenticated'] };
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    await grant(server, { user: 'jane', namespace: 'default' }, [rule]);
    const asked = server.ask('GET', `${core}/pods/p/proxy/`, { user });
    await refused(asked, /cannot get resource "pods\/proxy"/);
  });
});
