/** Clients for every way into the Gateway, so that the same calls can be made over each of them. */
import http, { type IncomingMessage } from 'node:http';
import http2, { type ClientHttp2Session } from 'node:http2';
import https from 'node:https';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { createAuthority, signServerCertificate } from '@fnlet/client/tls';
import type { Certificate, CertificateSource } from '../src/fronts/certificate-table.ts';
import type { Rig } from './rig.ts';

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string | string[]>>;
}

export interface Told {
  readonly status: number;
  readonly fields: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  /** There once the body has ended. */
  readonly trailers: () => Readonly<Record<string, string | string[] | undefined>>;
}

/** One call. */
export interface Asking {
  /** The body of the request; the caller ends it. */
  readonly body: Writable;
  readonly told: Promise<Told>;
  /** Statuses of the answers before the answer. */
  readonly interim: readonly number[];
  /** Goes away without a word. */
  reset(): void;
}

export interface FrontClient {
  ask(asked: Asked): Asking;
  /** Opens a WebSocket, without its frames. */
  tunnel(path: string): Promise<Duplex>;
  /** How many connections it has opened so far. */
  readonly connections: number;
}

export interface Front {
  readonly name: string;
  readonly scheme: 'http' | 'https';
  readonly open: (t: TestContext, rig: Rig) => Promise<FrontClient>;
}

export interface TestIdentity {
  readonly caPem: string;
  readonly sign: (...hosts: string[]) => Promise<Certificate>;
}

/** An authority of its own. */
export async function createIdentity(): Promise<TestIdentity> {
  const now = Date.parse('2026-01-01');
  const lifeMs = 100 * 365 * 24 * 3_600_000;
  const authority = await createAuthority({ commonName: 'test-ca', now, lifeMs });
  return {
    caPem: authority.certPem,
    sign: (...hosts) =>
      signServerCertificate(authority, hosts, { commonName: hosts[0] ?? '', now, lifeMs }),
  };
}

/** A source that knows one certificate. */
export function onlyFallback(fallback: Certificate): CertificateSource {
  return { fallback, forHost: () => Promise.resolve(undefined) };
}

async function listenTls(rig: Rig): Promise<{ port: number; ca: string }> {
  const { caPem: ca, sign } = await createIdentity();
  const source = onlyFallback(await sign('localhost', '127.0.0.1'));
  const { port } = await rig.gateway.listenTls({ host: '127.0.0.1', port: 0 }, source);
  return { port, ca };
}

function http1Client(
  t: TestContext,
  request: typeof http.request,
  options: https.RequestOptions & { readonly agent: http.Agent },
): FrontClient {
  let connections = 0;
  t.after(() => options.agent.destroy());
  const send = ({ method = 'GET', path, fields = {} }: Asked): http.ClientRequest =>
    request({ ...options, method, path, headers: fields });
  return {
    get connections() {
      return connections;
    },
    ask(asked) {
      const outgoing = send(asked);
      const interim: number[] = [];
      outgoing.once('socket', () => {
        if (!outgoing.reusedSocket) connections++;
      });
      outgoing.on('information', ({ statusCode }) => interim.push(statusCode));
      const told = new Promise<Told>((resolve, reject) => {
        outgoing.on('error', reject);
        outgoing.on('response', (incoming: IncomingMessage) => {
          incoming.on('error', () => {});
          resolve({
            status: incoming.statusCode ?? 0,
            fields: incoming.headers,
            body: incoming,
            trailers: () => incoming.trailers,
          });
        });
      });
      told.catch(() => {});
      return { body: outgoing, told, interim, reset: () => outgoing.destroy() };
    },
    tunnel(path) {
      const fields = {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
      };
      const outgoing = send({ path, fields });
      outgoing.end();
      return new Promise((resolve, reject) => {
        outgoing.on('error', reject);
        outgoing.on('upgrade', (_answer, socket: Duplex, first: Buffer) => {
          socket.unshift(first);
          resolve(socket);
        });
      });
    },
  };
}

function http2Client(t: TestContext, session: ClientHttp2Session): FrontClient {
  session.on('error', () => {});
  t.after(() => session.destroy());
  const open = ({ method = 'GET', path, fields = {} }: Asked): http2.ClientHttp2Stream => {
    const stream = session.request(
      { ':method': method, ':path': path, ...fields },
      { endStream: false },
    );
    stream.on('error', () => {});
    return stream;
  };
  return {
    connections: 1,
    ask(asked) {
      const stream = open(asked);
      const interim: number[] = [];
      let trailers: http2.IncomingHttpHeaders = {};
      stream.on('headers', (headers) => interim.push(headers[':status'] ?? 0));
      stream.on('trailers', (fields) => {
        trailers = fields;
      });
      const told = new Promise<Told>((resolve, reject) => {
        stream.on('error', reject);
        stream.on('close', () => reject(new Error('The stream was reset')));
        stream.on('response', (fields) => {
          const status = fields[':status'] ?? 0;
          resolve({ status, fields, body: stream, trailers: () => trailers });
        });
      });
      told.catch(() => {});
      const reset = (): void => stream.close(http2.constants.NGHTTP2_CANCEL);
      return { body: stream, told, interim, reset };
    },
    async tunnel(path) {
      if (session.remoteSettings.enableConnectProtocol !== true) {
        await new Promise((resolve) => session.once('remoteSettings', resolve));
      }
      const fields = { ':protocol': 'websocket', 'sec-websocket-version': '13' };
      const stream = open({ method: 'CONNECT', path, fields });
      return new Promise((resolve, reject) => {
        stream.on('close', () => reject(new Error('The stream was reset')));
        stream.on('response', (answer) => {
          if (answer[':status'] === 200) resolve(stream);
        });
      });
    },
  };
}

/** Every way in. */
export const fronts: readonly Front[] = [
  {
    name: 'HTTP/1.1',
    scheme: 'http',
    open: async (t, rig) => {
      const agent = new http.Agent({ keepAlive: true });
      return http1Client(t, http.request, { agent, host: '127.0.0.1', port: rig.port });
    },
  },
  {
    name: 'HTTP/1.1 over TLS',
    scheme: 'https',
    open: async (t, rig) => {
      const agent = new https.Agent({ keepAlive: true, ...(await listenTls(rig)) });
      return http1Client(t, https.request, { agent, host: '127.0.0.1', servername: 'localhost' });
    },
  },
  {
    name: 'HTTP/2 with prior knowledge',
    scheme: 'http',
    open: async (t, rig) => http2Client(t, http2.connect(`http://127.0.0.1:${rig.port}`)),
  },
  {
    name: 'HTTP/2 over TLS',
    scheme: 'https',
    open: async (t, rig) => {
      const { port, ca } = await listenTls(rig);
      return http2Client(t, http2.connect(`https://127.0.0.1:${port}`, { ca }));
    },
  },
];
