import assert from 'node:assert/strict';
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { ClientRequest, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testTransportContract } from '../test/transport-contract.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { Transport } from './transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly transport: Transport;
}

async function serve(
  handler: Handler,
  token?: string,
  options: Partial<HttpTransportOptions> = {},
): Promise<TestServer> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${portOf(server)}`;
  const transport = createHttpTransport({ server: url, token, ...options });
  return {
    url,
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

async function echo(request: IncomingMessage, url: URL): Promise<string> {
  const text = Buffer.concat(await Array.fromAsync(request)).toString('utf8');
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return JSON.stringify({
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    contentType: request.headers['content-type'],
    body,
  });
}

const contractHandler: Handler = async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://server');
  response.setHeader('content-type', 'application/json');
  switch (url.pathname) {
    case '/echo':
      return response.end(await echo(request, url));
    case '/stream':
      return response.end('{"n":0}\n{"n":1}\n{"n":2}\n');
    case '/endless':
      return response.write('{"n":0}\n');
    case '/hang':
      return undefined;
    default:
      response.statusCode = 404;
      return response.end('{"kind":"Status","code":404,"reason":"NotFound"}');
  }
};

testTransportContract('createHttpTransport()', () => serve(contractHandler));

const get = (path: string): { method: 'GET'; path: string } => ({ method: 'GET', path });

describe('createHttpTransport() on the wire', () => {
  it('sends the token, and reads gzip', async () => {
    const handler: Handler = (request, response) => {
      response.setHeader('content-encoding', 'gzip');
      const { authorization, 'accept-encoding': encoding } = request.headers;
      response.end(gzipSync(JSON.stringify({ authorization, encoding })));
    };
    await using server = await serve(handler, 'secret');
    const response = await server.transport.request(get('/a'));
    assert.deepEqual(await response.json(), { authorization: 'Bearer secret', encoding: 'gzip' });
  });

  it('sends a request once more, with other credentials, when those that it showed were refused', async () => {
    let token = 't0';
    let refusals = 0;
    const credentials = {
      read: async () => ({ token }),
      refuse: () => {
        refusals += 1;
        if (refusals === 1) token = 't1';
      },
    };
    const seen: unknown[] = [];
    const handler: Handler = (request, response) => {
      seen.push([request.method, request.headers.authorization]);
      response.statusCode = request.headers.authorization === 'Bearer t1' ? 200 : 401;
      response.end('{}');
    };
    await using server = await serve(handler, undefined, { credentials });
    const post = { method: 'POST', path: '/a', body: {} } as const;
    assert.equal((await server.transport.request(post)).status, 200);
    assert.deepEqual(seen, [
      ['POST', 'Bearer t0'],
      ['POST', 'Bearer t1'],
    ]);
    token = 't2';
    assert.equal((await server.transport.request(get('/a'))).status, 401, 'there are no others');
    assert.deepEqual([refusals, seen.length], [2, 3]);
  });

  it('says as whom it asks', async () => {
    const handler: Handler = (request, response) => {
      const named = Object.entries(request.headersDistinct);
      const said = named.filter(([name]) => name.startsWith('impersonate-'));
      response.end(JSON.stringify(Object.fromEntries(said)));
    };
    const extra = { 'example.com/Scope': ['a', 'b'] };
    const impersonation = { user: 'jane', uid: 'u1', groups: ['dev', 'ops'], extra };
    await using server = await serve(handler, undefined, { impersonation });
    const response = await server.transport.request(get('/a'));
    assert.deepEqual(await response.json(), {
      'impersonate-user': ['jane'],
      'impersonate-uid': ['u1'],
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2fscope': ['a', 'b'],
    });
  });

  it('lets go of connections with client certificates of long ago', async () => {
    let certData = 'c0';
    const credentials = { read: async () => ({ certData, keyData: 'k' }), refuse: () => undefined };
    const connections = new Set<unknown>();
    const handler: Handler = ({ socket }, response) => {
      if (!connections.has(socket)) socket.once('close', () => connections.delete(socket));
      connections.add(socket);
      response.end('{}');
    };
    await using server = await serve(handler, undefined, { credentials });
    for (let n = 0; n < 10; n++) {
      certData = `c${n}`;
      await (await server.transport.request(get('/a'))).json();
    }
    while (connections.size > 4) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(connections.size, 4);
  });

  it('goes through a proxy', async () => {
    const handler: Handler = (request, response) => response.end(JSON.stringify(request.url));
    await using proxy = await serve(handler);
    const proxyUrl = proxy.url;
    await using transport = createHttpTransport({ server: 'http://api.example:6443', proxyUrl });
    const response = await transport.request(get('/a'));
    assert.equal(await response.json(), 'http://api.example:6443/a');
  });

  it('uses a connection again, and opens another when the server has closed it', async () => {
    const ports = new Set<number | undefined>();
    const handler: Handler = (request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
      if (request.url === '/close') response.once('finish', () => request.socket.destroySoon());
    };
    await using server = await serve(handler);
    for (const path of ['/a', '/b', '/close', '/c']) {
      await (await server.transport.request(get(path))).json();
    }
    assert.equal(ports.size, 2);
  });

  it('chunks() gives what bytes() gives, one chunk at a time', async () => {
    const text = 'x'.repeat(1_000_000);
    await using server = await serve((_request, response) => response.end(text));
    const response = await server.transport.request(get('/a'));
    let read = '';
    for await (const chunk of response.chunks?.() ?? []) read += Buffer.from(chunk).toString();
    assert.equal(read, text);
  });

  it('reads documents however they are cut into chunks', async () => {
    const text = '{"a":"ä😀"}\r\n\n{"b":1}\n{"c":2}';
    const bytes = Buffer.from(text);
    await using server = await serve(async (_request, response) => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const response = await server.transport.request(get('/a'));
    const documents = await Array.fromAsync(response.documents());
    assert.deepEqual(documents, [{ a: 'ä😀' }, { b: 1 }, { c: 2 }]);
  });

  it('documents() rejects with Interrupted on a reset and on a line that is not JSON', async () => {
    await using server = await serve((request, response) => {
      response.write('{"n":0}\n');
      if (request.url === '/garbage') response.end('{"n":');
      else setImmediate(() => response.destroy());
    });
    for (const path of ['/reset', '/garbage']) {
      const response = await server.transport.request(get(path));
      const documents = response.documents()[Symbol.asyncIterator]();
      assert.deepEqual(await documents.next(), { done: false, value: { n: 0 } });
      await assert.rejects(documents.next(), { code: 'Interrupted' });
    }
  });

  it('documents() rejects with Interrupted when a line does not end', async () => {
    await using server = await serve((_request, response) => {
      const chunk = Buffer.alloc(1 << 20, 'x');
      for (let n = 0; n < 10; n++) response.write(chunk);
    });
    const response = await server.transport.request(get('/a'));
    await assert.rejects(Array.fromAsync(response.documents()), {
      code: 'Interrupted',
      message: /more than 8388608 bytes/,
    });
  });

  it('request() rejects with Interrupted when the server hangs up without an answer', async () => {
    await using server = await serve((request) => request.socket.destroy());
    await assert.rejects(server.transport.request(get('/a')), { code: 'Interrupted' });
  });

  it('request() rejects with Unreachable, and what to check, when nothing listens', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const port = portOf(closed);
    closed.close();
    await once(closed, 'close');
    await using transport = createHttpTransport({ server: `http://127.0.0.1:${port}` });
    await assert.rejects(transport.request(get('/a')), {
      code: 'Unreachable',
      remedy: /Check that an API listens/,
    });
  });

  it('a watch may be silent for ever, on a new connection and on one that was used', async () => {
    const limits: unknown[] = [];
    const note: ChannelListener = (message) => {
      if (typeof message !== 'object' || message === null || !('request' in message)) return;
      if (message.request instanceof ClientRequest) limits.push(message.request.socket?.timeout);
    };
    await using server = await serve((_request, response) => response.end('{}'));
    const watch = { ...get('/a'), query: { watch: 'true' } };
    subscribe('http.client.response.finish', note);
    for (const request of [watch, get('/a'), watch]) {
      await (await server.transport.request(request)).json();
    }
    unsubscribe('http.client.response.finish', note);
    assert.deepEqual(limits, [0, 65_000, 0]);
  });
});
