/**
 * Where Runners in Pods find their owner: a server over TLS that they connect to, and that gives
 * them the files of Revisions (see `pod-channel.ts` of the room `invocation` for what is said).
 *
 * I1. Nobody is heard before the API has said which Pod it is.
 * I2. A Pod has one connection: a newer one takes the place of an older one.
 */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import { type PodHello, podPaths, podProtocol } from '@fnlet/invocation';
import type { Builder } from './builder.ts';
import { clusterLimits } from './limits.ts';
import { parseHello } from './parse-hello.ts';
import { buildPath } from './plan-build-pod.ts';
import type { IdentifyPod, PodIdentity } from './pod-identity.ts';
import { RunnerConnection } from './runner-connection.ts';

export interface RunnerFrontOptions {
  /** In PEM. */
  readonly certificate: { readonly certPem: string; readonly keyPem: string };
  readonly identify: IdentifyPod;
  /** A Runner has connected, and what it said first. */
  readonly onRunner: (runner: RunnerConnection, hello: PodHello) => void;
  /**
   * The file with this digest, as far as this Pod may have it; `undefined`: there is none for it.
   */
  readonly fileOf: (digest: string, pod: PodIdentity) => Promise<string | undefined>;
  /** Answers Pods that install packages. Default: there are none. */
  readonly onBuild?: Builder['answer'] | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const switching = [
  'HTTP/1.1 101 Switching Protocols',
  'connection: Upgrade',
  `upgrade: ${podProtocol}`,
  '\r\n',
].join('\r\n');

export class RunnerFront implements AsyncDisposable {
  readonly #options: RunnerFrontOptions;
  readonly #server: Server;
  readonly #connections = new Map<string, RunnerConnection>();
  readonly #closing = new AbortController();

  constructor(options: RunnerFrontOptions) {
    this.#options = options;
    const { certPem: cert, keyPem: key } = options.certificate;
    this.#server = createServer({ cert, key }, (request, response) => {
      void this.#onRequest(request, response);
    });
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      if (head.length > 0) socket.unshift(head);
      void this.#onUpgrade(request, socket);
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
  renew({ certPem, keyPem }: RunnerFrontOptions['certificate']): void {
    this.#server.setSecureContext({ cert: certPem, key: keyPem });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections.values()) connection.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const pod = await this.#podOf(request);
      if (pod === undefined) return end(response, 401);
      const { method, url = '' } = request;
      const { onBuild } = this.#options;
      if (url === buildPath && onBuild !== undefined) return await onBuild(pod, request, response);
      if (method !== 'GET' || !url.startsWith(podPaths.files)) return end(response, 404);
      const digest = url.slice(podPaths.files.length);
      const file = /^[0-9a-f]{64}$/.test(digest)
        ? await this.#options.fileOf(digest, pod)
        : undefined;
      if (file === undefined) return end(response, 404);
      const content = createReadStream(file);
      content.once('error', () => response.destroy());
      content.once('open', () => response.writeHead(200, { 'content-type': 'application/gzip' }));
      content.pipe(response);
    } catch (error) {
      this.#options.logger.warn('Cannot answer a Runner', { error: errorMessage(error) });
      end(response, 503);
    }
  }

  async #onUpgrade(request: IncomingMessage, socket: Duplex): Promise<void> {
    const { url, headers } = request;
    const isOurs = url === podPaths.channel && headers.upgrade?.toLowerCase() === podProtocol;
    if (!isOurs) return refuse(socket, '404 Not Found');
    let pod: PodIdentity | undefined;
    try {
      pod = await this.#podOf(request);
      if (pod === undefined) return refuse(socket, '401 Unauthorized');
    } catch (error) {
      this.#options.logger.warn('Cannot take a Runner', { error: errorMessage(error) });
      refuse(socket, '503 Service Unavailable');
      return;
    }
    socket.write(switching);
    this.#open(pod, socket, request.socket);
  }

  #open(pod: PodIdentity, socket: Duplex, { remoteAddress = '' }: IncomingMessage['socket']): void {
    const { clock, onRunner } = this.#options;
    const connection = new RunnerConnection({ pod, socket, remoteAddress });
    this.#connections.get(pod.uid)?.close();
    this.#connections.set(pod.uid, connection);
    socket.once('close', () => {
      if (this.#connections.get(pod.uid) === connection) this.#connections.delete(pod.uid);
    });
    const late = clock.after(clusterLimits.helloMs, () => connection.close());
    connection.onFirstLine((line) => {
      late.cancel();
      const hello = parseHello(line);
      if (hello === undefined) return connection.close();
      connection.port = hello.port;
      onRunner(connection, hello);
    });
  }

  async #podOf({ headers }: IncomingMessage): Promise<PodIdentity | undefined> {
    const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    const { clock, identify } = this.#options;
    const late = new AbortController();
    const timer = clock.after(clusterLimits.identifyMs, () => late.abort());
    try {
      return await identify(token, AbortSignal.any([this.#closing.signal, late.signal]));
    } finally {
      timer.cancel();
    }
  }
}

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
