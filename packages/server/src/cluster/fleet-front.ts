/**
 * Where Gateways find the controller that leads: a server over TLS that they connect to.
 *
 * I1. Nobody is heard before the API has said that its token is the Gateway's.
 * I2. What a Gateway passes on is heard while it is connected, by the key that it got then.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, type Logger, type Random, randomName } from '@fnlet/base';
import { type FleetOrder, fleetPath, fleetProtocol, parseFleetReport } from './fleet-message.ts';
import type { FleetMember, GatewayFleet } from './gateway-fleet.ts';
import { fleetHelloMs, fleetReviewMs, relayKeyCharacters } from './limits.ts';
import { LineSocket } from './line-socket.ts';
import { RelayFront } from './relay-front.ts';

export interface FleetFrontOptions {
  readonly fleet: GatewayFleet;
  /** In PEM. */
  readonly certificate: { readonly certPem: string; readonly keyPem: string };
  /** Says whether this token is that of a Gateway, and where that runs. */
  readonly identify: (token: string, signal: AbortSignal) => Promise<GatewayIdentity | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A Gateway by its token. */
export interface GatewayIdentity {
  /** The Node of its Pod; `undefined`: nobody knows. */
  readonly node: string | undefined;
}

export class FleetFront implements AsyncDisposable {
  readonly #options: FleetFrontOptions;
  readonly #server: Server;
  readonly #connections = new Set<LineSocket>();
  readonly #relay: RelayFront;
  readonly #closing = new AbortController();

  constructor(options: FleetFrontOptions) {
    this.#options = options;
    const { certPem: cert, keyPem: key } = options.certificate;
    const { fleet, logger } = options;
    this.#relay = new RelayFront({
      responderAt: (place) => fleet.published.responderAt(place),
      logger,
    });
    this.#server = createServer({ cert, key }, (request, response) => {
      this.#relay.answer(request, response);
    });
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      if (head.length > 0) socket.unshift(head);
      const { url, headers } = request;
      if (url !== fleetPath || headers.upgrade?.toLowerCase() !== fleetProtocol) {
        return refuse(socket, '404 Not Found');
      }
      void this.#onUpgrade(headers.authorization, socket);
    });
  }

  /** Listens; resolves with the port. */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.once('error', reject);
    this.#server.listen({ host, port }, () => {
      const address: AddressInfo | string | null = this.#server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
    return promise;
  }

  /** New connections get this certificate. */
  renew({ certPem, keyPem }: FleetFrontOptions['certificate']): void {
    this.#server.setSecureContext({ cert: certPem, key: keyPem });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections) connection.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #onUpgrade(authorization: string | undefined, socket: Duplex): Promise<void> {
    let identity: GatewayIdentity | undefined;
    try {
      identity = await this.#identify(authorization ?? '');
      if (identity === undefined) return refuse(socket, '401 Unauthorized');
    } catch (error) {
      this.#options.logger.warn('Cannot take a Gateway', { error: errorMessage(error) });
      return refuse(socket, '503 Service Unavailable');
    }
    const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n';
    socket.write(`${head}upgrade: ${fleetProtocol}\r\n\r\n`);
    this.admit(socket, identity.node);
  }

  /**
   * Hears whoever is at the other end as a Gateway; one of this process asks nobody.
   *
   * @param node that it runs on; `undefined`: nobody knows
   */
  admit(socket: Duplex, node?: string): void {
    const { fleet, clock, random, logger } = this.#options;
    let forget: (() => void) | undefined;
    let member: FleetMember | undefined;
    let name = '';
    const late = clock.after(fleetHelloMs, () => connection.close());
    const connection: LineSocket = new LineSocket(socket, clock, {
      onMessage: (message) => {
        const report = parseFleetReport(message);
        // A newer Gateway may say more.
        if (report === undefined) return;
        if (report.type !== 'hello') {
          member?.report(report);
          return;
        }
        if (member !== undefined) {
          connection.close();
          return;
        }
        late.cancel();
        name = report.replica;
        logger.info('A Gateway is connected', { replica: name });
        const key = randomName(random, relayKeyCharacters);
        // I2
        forget = this.#relay.admit(key);
        connection.send({ type: 'key', key } satisfies FleetOrder);
        member = fleet.join({ send: (order) => connection.send(order) }, report.demand, node);
      },
      onClosed: () => {
        late.cancel();
        this.#connections.delete(connection);
        forget?.();
        member?.leave();
        if (member !== undefined) logger.info('A Gateway is gone', { replica: name });
      },
    });
    this.#connections.add(connection);
  }

  async #identify(authorization: string): Promise<GatewayIdentity | undefined> {
    const [, token] = /^Bearer (.+)$/i.exec(authorization) ?? [];
    if (token === undefined) return undefined;
    const { clock, identify } = this.#options;
    const late = new AbortController();
    const timer = clock.after(fleetReviewMs, () => late.abort());
    try {
      return await identify(token, AbortSignal.any([this.#closing.signal, late.signal]));
    } finally {
      timer.cancel();
    }
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
