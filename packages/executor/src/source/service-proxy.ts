/**
 * A proxy for a program that asks the machine's resolver for names, such as git or npm: it knows
 * names of Services. It listens on the loopback interface for as long as the program runs.
 *
 * I1. What passes stays as it was sent, the Host and what TLS asks for too: only the place that is
 *     connected to is another one.
 * I2. It connects to nothing but what this machine connects to anyway, so it asks for no password.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@fnlet/base';
import { limits } from '../limits.ts';
import type { FindService, NetworkPlace } from './service-route.ts';

// Not by import: that would load an HTTP client with each start (decision 015).
const { createServer, request } = process.getBuiltinModule('node:http');

/** A proxy that listens, until it is disposed of. */
export interface ServiceProxy extends AsyncDisposable {
  /** As variables such as `http_proxy` have it. */
  readonly url: string;
}

export async function openServiceProxy(find: FindService): Promise<ServiceProxy> {
  const passing = new Passing(find);
  const server = createServer((asked, answer) => void passing.forward(asked, answer));
  server.on('connect', (asked, socket, head) => void passing.tunnel(asked, { socket, head }));
  server.maxConnections = limits.proxyConnectionsMax;
  server.keepAliveTimeout = limits.proxyIdleMs;
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      passing.end();
      await closed;
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** The end of a tunnel at the program, and what it has said already. */
interface TunnelEnd {
  readonly socket: Duplex;
  readonly head: Buffer;
}

class Passing {
  readonly #find: FindService;
  readonly #ended = new AbortController();
  readonly #sockets = new Set<Duplex>();

  constructor(find: FindService) {
    this.#find = find;
  }

  end(): void {
    this.#ended.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A request in the absolute form (RFC 9112, 3.2.2), for plain HTTP. */
  async forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.parse(asked.url ?? '');
    if (url?.protocol !== 'http:') return refuse(answer, 400, 'expected the URL of a server');
    try {
      const place = await this.#placeOf({ host: hostOf(url), port: Number(url.port || 80) });
      const sending = request({
        ...place,
        path: `${url.pathname}${url.search}`,
        method: asked.method,
        headers: withoutProxyHeaders(asked.rawHeaders),
        agent: false,
        signal: this.#ended.signal,
      });
      sending.once('error', (error) => refuse(answer, 502, errorMessage(error)));
      sending.once('response', (received) => {
        answer.writeHead(received.statusCode ?? 502, received.rawHeaders);
        received.once('error', () => answer.destroy());
        received.pipe(answer);
      });
      asked.once('error', () => sending.destroy());
      answer.once('close', () => sending.destroy());
      asked.pipe(sending);
    } catch (error) {
      refuse(answer, 502, errorMessage(error));
    }
  }

  /** A tunnel (RFC 9110, 9.3.6), for TLS. */
  async tunnel({ url = '' }: IncomingMessage, { socket, head }: TunnelEnd): Promise<void> {
    this.#keep(socket);
    const target = URL.parse(`https://${url}`);
    if (target === null) return refuseTunnel(socket, '400 Bad Request');
    try {
      const place = await this.#placeOf({
        host: hostOf(target),
        port: Number(target.port || 443),
      });
      const far: Socket = connect({ ...place, signal: this.#ended.signal });
      this.#keep(far);
      far.once('error', () => refuseTunnel(socket, '502 Bad Gateway'));
      far.once('close', () => socket.destroy());
      socket.once('close', () => far.destroy());
      far.once('connect', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        far.write(head);
        far.pipe(socket).pipe(far);
      });
    } catch {
      refuseTunnel(socket, '502 Bad Gateway');
    }
  }

  async #placeOf(asked: NetworkPlace): Promise<NetworkPlace> {
    const route = await this.#find(asked, this.#ended.signal);
    if (route?.kind === 'nobody') throw new Error(route.message);
    return route?.place ?? asked;
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Of IPv6 without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** What is between the program and the proxy alone, left out. */
function withoutProxyHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    if (!/^proxy-/i.test(name)) kept.push(name, value);
  }
  return kept;
}

function refuse(answer: ServerResponse, status: number, message: string): void {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  answer.writeHead(status, { 'content-type': 'text/plain' }).end(`${message}\n`);
}

function refuseTunnel(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}
