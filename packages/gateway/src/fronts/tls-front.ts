/**
 * TLS on the way in: proves who we are, to each client with the certificate of the host that it
 * asks for, and agrees on HTTP/2 or HTTP/1.1 (ALPN, RFC 7301).
 *
 * I1. Handshakes in flight are bounded in number and time; they are what costs most of all that a
 *     stranger can ask for.
 * I2. Certificates change for the next handshake; connections stay.
 */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import tls, { type SecureContext, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { errorMessage, type Logger } from '@fnlet/base';
import type { DeadlineSweep, Expirable } from '../deadline-sweep.ts';
import type { GatewayLimits } from '../limits.ts';
import { type Certificate, type CertificateSource, CertificateTable } from './certificate-table.ts';

export interface TlsFrontOptions {
  readonly source: CertificateSource;
  readonly logger: Logger;
  readonly limits: GatewayLimits;
  readonly monotonicMs: () => number;
  readonly sweep: DeadlineSweep;
  /** A handshake is done; `socket.alpnProtocol` says what was agreed on. */
  readonly onSecure: (socket: TLSSocket) => void;
}

export class TlsFront {
  readonly certificates: CertificateTable = new CertificateTable(createContext);
  readonly #options: TlsFrontOptions;
  readonly #server: tls.Server;
  /** By address of the client (I1). */
  readonly #handshakes = new Map<string, Expirable>();
  #fallback: Certificate;

  constructor(options: TlsFrontOptions) {
    this.#options = options;
    this.#fallback = options.source.fallback;
    // Connections are handed to it; it listens itself nowhere.
    this.#server = tls.createServer({
      ...contextOptions(this.#fallback),
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback: (host, done) => void this.#choose(host, done),
    });
    this.#server.on('secureConnection', (socket) => {
      this.#end(peerOf(socket));
      options.onSecure(socket);
    });
    // A client that speaks no TLS, or leaves in the middle of it, is its own concern.
    this.#server.on('tlsClientError', () => {});
  }

  /** Begins the handshake with a client. */
  accept(socket: Socket): void {
    const { limits, monotonicMs, sweep } = this.#options;
    if (this.#handshakes.size >= limits.handshakesMax) {
      socket.destroy();
      return;
    }
    this.#followFallback();
    const peer = peerOf(socket);
    const deadlineMs = monotonicMs() + limits.handshakeTimeoutMs;
    const handshake = { deadlineMs, onDeadline: () => void socket.destroy() };
    this.#handshakes.set(peer, handshake);
    sweep.watch(handshake);
    socket.once('close', () => this.#end(peer));
    this.#server.emit('connection', socket);
  }

  /** Cuts off whoever is not through yet. */
  destroy(): void {
    for (const handshake of this.#handshakes.values()) handshake.onDeadline();
  }

  #end(peer: string): void {
    const handshake = this.#handshakes.get(peer);
    if (handshake === undefined) return;
    this.#handshakes.delete(peer);
    this.#options.sweep.unwatch(handshake);
  }

  /** Clients that name no host get what the server has, without being asked for. */
  #followFallback(): void {
    const { fallback } = this.#options.source;
    if (fallback === this.#fallback) return;
    this.#server.setSecureContext(contextOptions(fallback));
    this.#fallback = fallback;
  }

  async #choose(
    host: string,
    done: (error: Error | null, context?: SecureContext) => void,
  ): Promise<void> {
    const { source, logger } = this.#options;
    try {
      const found = this.certificates.find(host) ?? (await source.forHost(host.toLowerCase()));
      done(null, this.certificates.context(found ?? this.#fallback));
    } catch (error) {
      logger.warn('Cannot choose a certificate', { host, error: errorMessage(error) });
      done(null, this.certificates.context(this.#fallback));
    }
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** With forward secrecy and authenticated encryption, as HTTP/2 wants it (RFC 9113 §9.2.2). */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

function contextOptions({ certPem, keyPem }: Certificate): SecureContextOptions {
  return {
    cert: certPem,
    key: keyPem,
    minVersion: 'TLSv1.2',
    ciphers,
    // RFC 9113 §9.2.1, and a handshake that a client may repeat at will is work for nothing.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function createContext(certificate: Certificate): SecureContext {
  return tls.createSecureContext(contextOptions(certificate));
}
