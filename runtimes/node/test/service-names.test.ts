/** Names of Services, with the real sockets of this process, which lead elsewhere from now on. */
import assert from 'node:assert/strict';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { createServer as createHttpServer, get } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import tls from 'node:tls';
import { resolveServiceNames } from '../src/service-names.ts';

const servers: Server[] = [];
const asked: string[] = [];
const answers = new Map<string, { readonly status: number; readonly body: object }>();

async function listen(server: Server): Promise<{ readonly host: string; readonly port: number }> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 };
}

before(async () => {
  const gateway = await listen(
    createHttpServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      const { status, body } = answers.get(path) ?? { status: 404, body: {} };
      response.writeHead(status).end(JSON.stringify({ ...body, host: request.headers.host }));
    }),
  );
  resolveServiceNames(gateway, { namespace: 'shop', host: '127.0.0.1' });
});
after(() => {
  for (const server of servers) server.close();
});
// A Service of its own for each test: answers are remembered.
let name = '';
let count = 0;
beforeEach(() => {
  asked.length = 0;
  count++;
  name = `store${count}`.replace(/\d/, (digit) => 'abcdefghij'[Number(digit)] ?? '');
});

const lead = (port: string, ...endpoints: readonly object[]): void => {
  const body = endpoints.length === 0 ? {} : { endpoints };
  answers.set(`/-/routes/shop/${name}${port}`, { status: endpoints.length ? 200 : 503, body });
};

const echo = (): Promise<{ readonly host: string; readonly port: number }> =>
  listen(createServer((socket: Socket) => socket.on('error', () => {}).pipe(socket)));

async function say(socket: Socket): Promise<string> {
  socket.end('hello');
  return text(socket);
}

test('a name leads to an endpoint, in every form, and is asked for once', async () => {
  lead('/6379', await echo());
  for (const host of [name, `${name}.shop`, `${name}.shop.svc.cluster.local`]) {
    assert.equal(await say(connect({ host, port: 6379 })), 'hello');
  }
  assert.equal(await say(connect(6379, name)), 'hello');
  const [first, second] = await Promise.all([
    say(connect({ host: name, port: 6379 })),
    new Promise((resolve) => {
      const socket = connect(6379, name, () => resolve(say(socket)));
    }),
  ]);
  assert.deepEqual([first, second], ['hello', 'hello']);
  assert.deepEqual(asked, [`/-/routes/shop/${name}/6379`]);
});

test('many connections at once ask once, and are spread over the endpoints', async () => {
  const [one, two] = [await echo(), await echo()];
  lead('/6379', one, two);
  const sockets = Array.from({ length: 32 }, () => connect(6379, name));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const ports = new Set(sockets.map(({ remotePort }) => remotePort));
  assert.deepEqual([...ports].sort(), [one.port, two.port].sort());
  assert.equal(asked.length, 1);
  for (const socket of sockets) socket.destroy();
});

test('the address that a name resolves to leads there, too', async () => {
  const endpoint = await echo();
  lead('', endpoint);
  lead('/6379', endpoint);
  const { address } = await dns.lookup(name);
  assert.match(address, /^240\./);
  assert.deepEqual(await dns.lookup(`${name}.shop.svc`, { all: true }), [{ address, family: 4 }]);
  assert.equal(await say(connect(6379, address)), 'hello');
});

test('HTTP keeps its Host, and TLS the name that it asks for', async () => {
  const servername = Promise.withResolvers<string>();
  const SNICallback = (host: string): void => servername.resolve(host);
  const host = `${name}.shop.svc.cluster.local`;
  const web = createHttpServer((request, response) => response.end(request.headers.host));
  lead('/80', await listen(web));
  lead('/443', await listen(tls.createServer({ SNICallback })));
  const answer = await new Promise<NodeJS.ReadableStream>((resolve) => {
    get({ host, port: 80, agent: false }, resolve);
  });
  assert.equal(await text(answer), host);
  const socket = tls.connect({ host, port: 443, servername: host }).on('error', () => {});
  assert.equal(await servername.promise, host);
  socket.destroy();
});

test('where nobody answers the connection is refused, whatever was written', async () => {
  lead('/6379');
  for (let i = 0; i < 2; i++) {
    const socket = connect({ host: name, port: 6379 });
    socket.write('x');
    const [error] = await once(socket, 'error');
    assert.equal(error.code, 'ECONNREFUSED');
    assert.match(error.message, new RegExp(`${name}:6379$`));
  }
});

test('a connection that fails is asked for anew', async () => {
  const gone = await echo();
  servers.pop()?.close();
  lead('/6379', gone);
  const [error] = await once(connect(6379, name), 'error');
  assert.equal(error.code, 'ECONNREFUSED');
  lead('/6379', await echo());
  assert.equal(await say(connect(6379, name)), 'hello');
  assert.equal(asked.length, 2);
});

test('a Function is led to by the Gateway, and known by its Host', async () => {
  answers.set(`/-/routes/shop/${name}/80`, { status: 200, body: {} });
  answers.set('/path', { status: 200, body: { at: 'gateway' } });
  const answer = await fetch(`http://${name}/path`);
  assert.deepEqual(await answer.json(), { at: 'gateway', host: name });
});

test("names that are none are the system's", async () => {
  const host = `${name}.invalid.svc.cluster.local`;
  const [error] = await once(connect(80, host), 'error');
  assert.match(error.code, /^(ENOTFOUND|EAI_AGAIN)$/);
  assert.equal(error.hostname, host);
  await assert.rejects(dns.lookup(host), { hostname: host });
  assert.deepEqual(asked, [`/-/routes/invalid/${name}/80`, `/-/routes/invalid/${name}`]);
});
