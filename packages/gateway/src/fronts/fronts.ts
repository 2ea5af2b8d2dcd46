/**
 * Where the Gateway listens, and the clients that are more than one conversation: those that speak
 * HTTP/2. What speaks HTTP/1.1 is handed on at once.
 *
 * I1. What few use is loaded with the first who does: HTTP/2, TLS.
 * I2. Once it closes, nobody is let in any more.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { FnletError, type Logger } from '@fnlet/base';
import type { DeadlineSweep } from '../deadline-sweep.ts';
import type { GatewayLimits } from '../limits.ts';
import { Anteroom } from './anteroom.ts';
import type { Certificate, CertificateSource } from './certificate-table.ts';
import type { Http2Client } from './http2-client.ts';
import { Outbox } from './outbox.ts';
import { plainCaller, type SocketSharing, secureCaller } from './socket-caller.ts';
import type { TlsFront } from './tls-front.ts';
import type { Caller } from './wire.ts';

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

export type ListenErrorCode = 'ListenFailed';

export interface FrontsContext {
  readonly limits: GatewayLimits;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  readonly sweep: DeadlineSweep;
  /** What sockets are read into, one after the other. */
  readonly readBuffer: Buffer;
  /** Has a client served; false when there is no room for it. */
  readonly serve: (caller: Caller) => boolean;
  /** Somebody left. */
  readonly onLeft: () => void;
  /** See `GatewayOptions`. */
  readonly opened: Promise<void> | undefined;
}

export class Fronts {
  readonly #context: FrontsContext;
  readonly #sockets: SocketSharing;
  readonly #anteroom: Anteroom;
  readonly #servers = new Set<Server>();
  readonly #http2Clients = new Set<Http2Client>();
  #tls: TlsFront | undefined;
  #tlsPort: number | undefined;
  #certificates: ReadonlyMap<string, Certificate> = new Map();
  #closing = false;

  constructor(context: FrontsContext) {
    this.#context = context;
    this.#anteroom = new Anteroom(context.opened, context.limits.connectionsMax);
    const outbox = new Outbox((flush) => void setImmediate(flush));
    this.#sockets = { readBuffer: context.readBuffer, outbox };
  }

  /** How many clients are here that are not conversations themselves. */
  get size(): number {
    return this.#http2Clients.size;
  }

  /**
   * @param inside whether those who come here are inside
   * @throws FnletError `ListenFailed`
   */
  listen(address: ListenAddress, inside: boolean): Promise<ListenAddress> {
    return this.#open(address, (socket) => this.#accept(socket, inside));
  }

  /** @throws FnletError `ListenFailed` */
  async listenTls(address: ListenAddress, source: CertificateSource): Promise<ListenAddress> {
    const { TlsFront } = await import('./tls-front.ts');
    const onSecure = (socket: TLSSocket): void => this.#admit(socket);
    const front = new TlsFront({ ...this.#context, source, onSecure });
    front.certificates.replace(this.#certificates);
    this.#tls = front;
    const bound = await this.#open(address, (socket) => front.accept(socket));
    this.#tlsPort = bound.port;
    return bound;
  }

  /** Where TLS is spoken; `undefined`: nowhere. */
  get tlsPort(): number | undefined {
    return this.#tlsPort;
  }

  /** @throws FnletError `CertificateBroken` */
  setCertificates(certificates: ReadonlyMap<string, Certificate>): void {
    this.#tls?.certificates.replace(certificates);
    this.#certificates = certificates;
  }

  /** Lets nobody in any more, and tells clients of HTTP/2 to leave after their calls. */
  close(): Promise<unknown> {
    this.#closing = true;
    for (const client of this.#http2Clients) client.close();
    return Promise.all(
      [...this.#servers].map(
        (server) => new Promise<void>((resolve) => server.close(() => resolve())),
      ),
    );
  }

  /** Cuts off who is still here. */
  destroy(): void {
    this.#anteroom.destroy();
    this.#tls?.destroy();
    for (const client of this.#http2Clients) client.destroy();
  }

  async #open(
    { host, port }: ListenAddress,
    accept: (socket: Socket) => void,
  ): Promise<ListenAddress> {
    const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) =>
      this.#anteroom.admit(socket, accept),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => reject(listenFailed(host, port, cause)));
      server.listen({ host, port }, resolve);
    });
    this.#servers.add(server);
    const { logger } = this.#context;
    server.on('error', (error) => logger.error(`Gateway socket failed: ${error.message}`));
    const address = server.address();
    return { host, port: typeof address === 'object' && address !== null ? address.port : port };
  }

  #accept(accepted: Socket, inside: boolean): void {
    const caller = plainCaller(accepted, { ...this.#sockets, inside }, (socket) => {
      void this.#speakHttp2(socket, caller);
    });
    if (!this.#context.serve(caller)) accepted.destroy();
  }

  /** A client of TLS. */
  #admit(socket: TLSSocket): void {
    const caller = secureCaller(socket, this.#sockets.outbox);
    if (socket.alpnProtocol === 'h2') void this.#speakHttp2(socket, caller);
    else if (!this.#context.serve(caller)) socket.destroy();
  }

  /** `socket`: what it holds back begins with the preface of HTTP/2. */
  async #speakHttp2(socket: Duplex, caller: Caller): Promise<void> {
    const { Http2Client } = await import('./http2-client.ts');
    const { limits, monotonicMs, serve, sweep, onLeft } = this.#context;
    if (this.#closing || socket.destroyed || this.size >= limits.http2ClientsMax) {
      socket.destroy();
      return;
    }
    const client = new Http2Client(socket, caller, {
      limits,
      monotonicMs,
      serve,
      onClosed: () => {
        this.#http2Clients.delete(client);
        sweep.unwatch(client);
        onLeft();
      },
    });
    this.#http2Clients.add(client);
    sweep.watch(client);
  }
}

function listenFailed(host: string, port: number, cause: Error): FnletError<ListenErrorCode> {
  return new FnletError<ListenErrorCode>(
    'ListenFailed',
    `Cannot listen on "${host}:${port}": ${cause.message}, expected a free port of this machine`,
    { cause, remedy: 'Choose another port, or 0 for any free one' },
  );
}
