import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, hasCode, LoadMeter, sleep } from '@fnlet/base';
import type { ApiServer } from '../api-server.ts';
import { ApiServerError } from '../api-server-error.ts';
import {
  busyWakesPerSecond,
  closeGraceMs,
  handshakeTimeoutMs,
  quietSeconds,
  sessionMegabytesMax,
} from '../limits.ts';
import { createUpgradeAnswerer } from '../streams/answer-upgrade.ts';
import type { TlsIdentity } from '../tls/certificates.ts';
import { FanOut } from '../watch/fan-out.ts';
import { answerHttp } from './answer-http.ts';
import { type HttpExchange, http1Exchange, http2Exchange } from './http-exchange.ts';
import { OpenCallers } from './open-callers.ts';

export interface ListenHttpsOptions {
  /** The address to listen on, such as 127.0.0.1. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: TlsIdentity;
  readonly clock: Clock;
  /** Told whenever somebody has connected, asked, or been answered. */
  readonly onCaller?: () => void;
  /** Told when watches get many events, and when no more. */
  readonly onLoad?: (isBusy: boolean) => void;
}

/** An API that listens. */
export interface HttpsFront extends AsyncDisposable {
  /** `https://127.0.0.1:7443` */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, lets those in flight end for a moment, and cuts the rest. */
  close(): Promise<void>;
}

/**
 * Serves the API over TLS, with HTTP/2 and HTTP/1.1. Close it before the server: its watches end
 * with their connections.
 *
 * @throws ApiServerError `PortInUse`, `CannotListen`
 */
export async function listenHttps(
  server: ApiServer,
  options: ListenHttpsOptions,
): Promise<HttpsFront> {
  const { tls, host, port, clock, onCaller = () => {} } = options;
  const front = http2.createSecureServer({
    allowHTTP1: true,
    key: tls.keyPem,
    cert: tls.certPem,
    minVersion: 'TLSv1.2',
    settings: { maxConcurrentStreams: 1000 },
    handshakeTimeout: handshakeTimeoutMs,
    maxSessionMemory: sessionMegabytesMax,
  });
  const sockets = new Set<Socket>();
  const upgraded = new Set<Promise<void>>();
  const closing = new AbortController();
  const open = new OpenCallers();
  const answering = { server, open, fanOut: createFanOut(options) };
  front.on('connection', (socket: Socket) => {
    onCaller();
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  });
  // A client that speaks no TLS, or leaves in the middle of it, is no concern of the server.
  front.on('tlsClientError', () => {});
  front.on('sessionError', () => {});
  front.on('secureConnection', onCaller);
  takeRequests(front, (exchange) => {
    onCaller();
    void answerHttp(exchange, answering).then(onCaller);
  });
  const answerUpgrade = createUpgradeAnswerer(server, clock);
  front.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Uint8Array) => {
    const exchange = { request, socket, head, closing: closing.signal };
    const answer = answerUpgrade(exchange).finally(() => upgraded.delete(answer));
    upgraded.add(answer);
  });
  await listen(front, host, port);
  const bound = front.address();
  const chosen = isAddressInfo(bound) ? bound.port : port;
  const close = async (): Promise<void> => {
    const closed = front.listening ? once(front, 'close') : Promise.resolve();
    front.close();
    closing.abort();
    const answered = Promise.all([open.close(), ...upgraded]);
    const grace = new AbortController();
    await Promise.race([answered, sleep(clock, closeGraceMs, grace.signal)]);
    grace.abort();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `https://${name}:${chosen}`, port: chosen, close, [Symbol.asyncDispose]: close };
}

function createFanOut({ clock, onLoad }: ListenHttpsOptions): FanOut {
  if (onLoad === undefined) return new FanOut(clock);
  const busyPerSecond = busyWakesPerSecond;
  return new FanOut(clock, new LoadMeter({ clock, busyPerSecond, quietSeconds, onChange: onLoad }));
}

/** Requests over HTTP/2 come as streams, those over HTTP/1.1 as Node's requests and responses. */
function takeRequests(
  front: http2.Http2SecureServer,
  take: (exchange: HttpExchange) => void,
): void {
  const asked = (request: IncomingMessage, response: ServerResponse): void => {
    take(http1Exchange(request, response));
  };
  // Node's types know nothing of allowHTTP1 here.
  const http1: NodeJS.EventEmitter = front;
  http1.on('request', asked);
  // Whoever listens to requests is given those over HTTP/2 in the manner of HTTP/1.1, too: by a
  // listener of Node's own, which this removes.
  front.removeAllListeners('stream');
  const arrived = (
    stream: http2.ServerHttp2Stream,
    headers: http2.IncomingHttpHeaders,
    _flags: number,
    rawHeaders: readonly string[],
  ): void => {
    if (headers[':method'] === 'CONNECT') stream.respond({ ':status': 405 }, { endStream: true });
    else take(http2Exchange(stream, headers, rawHeaders));
  };
  front.on('stream', arrived);
}

function isAddressInfo(value: unknown): value is AddressInfo {
  return typeof value === 'object' && value !== null && 'port' in value;
}

async function listen(front: http2.Http2SecureServer, host: string, port: number): Promise<void> {
  try {
    const listening = once(front, 'listening');
    front.listen(port, host);
    await listening;
  } catch (error) {
    const where = `${host}:${port}`;
    if (hasCode(error, 'EADDRINUSE')) {
      const message = `Cannot listen on "${where}": found another program there, expected a free port`;
      throw new ApiServerError('PortInUse', message, {
        cause: error,
        remedy: 'Stop the other program or choose another port; port 0 picks a free one',
      });
    }
    const message = `Cannot listen on "${where}": ${errorMessage(error)}`;
    throw new ApiServerError('CannotListen', message, { cause: error });
  }
}
