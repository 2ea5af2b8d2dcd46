/** A Gateway with real sockets, Instances as plain servers, and a client that sends raw bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, seededRandom, silentLogger, systemClock } from '@fnlet/base';
import {
  createGateway,
  type Endpoint,
  type Gateway,
  type GatewayOptions,
  type Route,
} from '../src/index.ts';
import type { Responder } from '../src/inner/responder.ts';
import type { GatewayLimits } from '../src/limits.ts';

export const revision = 'default/hello-1';

export function route(overrides: Partial<Route> = {}): Route {
  return {
    namespace: 'default',
    function: 'hello',
    revision,
    timeoutMs: 10_000,
    wakeMs: 0,
    bodyBytesMax: 1024 * 1024,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
    ...overrides,
  };
}

export interface RigOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<GatewayLimits>;
  readonly onDemand?: (revisionId: string) => void;
  readonly onUnresponsive?: (revisionId: string, endpointId: string) => void;
  readonly later?: Responder;
  readonly gateway?: Pick<
    GatewayOptions,
    'accessLog' | 'isCurrent' | 'onLoad' | 'serviceNames' | 'tracing' | 'trustedProxies'
  >;
  readonly route?: Partial<Route>;
  readonly opened?: Promise<void>;
}

/** An Instance of this machine. */
export type LocalEndpoint = Endpoint & { readonly socketPath: string };

/** What a test works with; closed by the test runner at its end. */
export class Rig {
  readonly gateway: Gateway;
  readonly directory: string;
  port = 0;
  readonly #servers: (Server | NetServer)[] = [];
  readonly #sockets = new Set<Socket>();
  #made = 0;

  constructor(options: RigOptions) {
    this.directory = mkdtempSync(join(tmpdir(), 'fnlet-gateway-'));
    this.gateway = createGateway({
      clock: options.clock ?? systemClock,
      random: seededRandom(1),
      logger: silentLogger,
      onDemand: options.onDemand ?? (() => {}),
      onUnresponsive: options.onUnresponsive ?? (() => {}),
      limits: options.limits ?? {},
      ...(options.opened === undefined ? {} : { opened: options.opened }),
      ...(options.later === undefined ? {} : { later: options.later }),
      ...options.gateway,
    });
  }

  /** An Instance that runs `listener`; not known to the Gateway yet. */
  async instance(listener: RequestListener): Promise<LocalEndpoint & { readonly server: Server }> {
    const server = createHttpServer(listener);
    server.keepAliveTimeout = 0;
    return { ...(await this.#open(server)), server };
  }

  /** An Instance that does with its sockets whatever it likes. */
  async rawInstance(onSocket: (socket: Socket) => void): Promise<LocalEndpoint> {
    return this.#open(
      createServer({ allowHalfOpen: true }, (socket) => {
        socket.on('error', () => {});
        onSocket(socket);
      }),
    );
  }

  async #open(server: Server | NetServer): Promise<LocalEndpoint> {
    this.#made++;
    const id = `hello-1-${this.#made}`;
    const socketPath = join(this.directory, `${id}.sock`);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(socketPath, resolve);
    });
    return { id, socketPath };
  }

  /** Ends a server at once, with all its connections, as when its process is killed. */
  kill(server: Server): void {
    server.close();
    server.closeAllConnections();
  }

  client(): RawClient {
    const client = new RawClient(this.port);
    this.#sockets.add(client.socket);
    return client;
  }

  /** Sends `text` on a new connection and returns what comes back until it ends. */
  async exchange(text: string): Promise<string> {
    const client = this.client();
    client.send(text);
    return client.untilEnd();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/default/hello`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.gateway.close({ graceMs: 0 });
    for (const server of this.#servers) server.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A rig that listens and has the route `default/hello`. */
export async function startRig(t: TestContext, options: RigOptions = {}): Promise<Rig> {
  const rig = new Rig(options);
  t.after(() => rig.close());
  rig.gateway.setRoute(route(options.route));
  rig.port = (await rig.gateway.listen({ host: '127.0.0.1', port: 0 })).port;
  return rig;
}

/** A rig with one ready Instance. */
export async function startWarmRig(
  t: TestContext,
  listener: RequestListener,
  options: RigOptions = {},
): Promise<Rig> {
  const rig = await startRig(t, options);
  rig.gateway.setEndpoints(revision, [await rig.instance(listener)]);
  return rig;
}

/** A client that sees the bytes as they are. */
export class RawClient {
  readonly socket: Socket;
  received = '';
  ended = false;
  #wake: (() => void) | undefined;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
      this.#wake?.();
    });
    const onEnd = (): void => {
      this.ended = true;
      this.#wake?.();
    };
    this.socket.on('end', onEnd);
    this.socket.on('close', onEnd);
    this.socket.on('error', onEnd);
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Waits until what was received satisfies `condition`; fails when the connection ends first. */
  async until(condition: (received: string) => boolean): Promise<string> {
    while (!condition(this.received)) {
      if (this.ended) throw new Error(`The connection ended after: ${this.received}`);
      await this.#change();
    }
    return this.received;
  }

  async untilEnd(): Promise<string> {
    while (!this.ended) await this.#change();
    this.socket.destroy();
    return this.received;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Waits until `condition` holds, one turn of the event loop after the other. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 200_000) throw new Error('The condition never held');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A promise with its key in hand. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}
