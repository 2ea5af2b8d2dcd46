import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { requestIdHeader, unloadedHeader } from '@fnlet/invocation';
import { formatAccess } from './access-log.ts';
import { fs, http } from './builtins.ts';
import { Call } from './call.ts';
import { CallMetrics } from './call-metrics.ts';
import type { InstanceLog } from './instance-log.ts';
import { limits } from './limits.ts';
import type { ServedFunction } from './served-function.ts';
import { handOver, refuseUpgrade } from './upgrade.ts';
import { describeThrown } from './user-stack.ts';

/**
 * The HTTP side of a Runner: one listener behind a Unix socket and a TCP port.
 *
 * I1. It listens before there is a function. Until one is loaded `/readyz` says so and calls get
 *     503; while one is being loaded, a few of them wait for it instead.
 * I2. Every call that was taken is in `#calls` until its answer is out or its caller is gone.
 * I3. Draining, it takes what was sent before: connections that the kernel holds, requests that lie
 *     unread. Then no connection is accepted and none is kept; calls on those that are still open
 *     are answered.
 */
export class FunctionServer {
  readonly #log: InstanceLog;
  readonly #onSocket: Server;
  readonly #onPort: Server;
  readonly #metrics = new CallMetrics();
  readonly #calls = new Set<Call>();
  readonly #upgraded = new Set<Duplex>();
  #function: ServedFunction | undefined;
  #loading = false;
  /** Starts the calls that wait for the function. */
  readonly #held = new Set<() => void>();
  #socketPath: string | undefined;
  #accepted = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;
  #madeIds = 0;

  constructor(log: InstanceLog) {
    this.#log = log;
    this.#onSocket = this.#createServer();
    this.#onPort = this.#createServer();
  }

  listenOnSocket(path: string): Promise<void> {
    this.#socketPath = path;
    return listening(this.#onSocket, (server) => server.listen(path));
  }

  /** Returns the port that was chosen, 0 when none could be had: the socket is enough then. */
  async listenOnPort(host: string, port: number): Promise<number> {
    try {
      await listening(this.#onPort, (server) => server.listen(port, host));
      return portOf(this.#onPort.address());
    } catch (error) {
      this.#log.say(`Cannot listen on ${host}:${port}: ${describeThrown(error)}`);
      return 0;
    }
  }

  /** A function is being loaded: calls may wait for it. {@link serve} or {@link refuse} follows. */
  expect(): void {
    this.#loading = true;
  }

  /** From now on calls are answered by this function. */
  serve(served: ServedFunction): void {
    this.#function = served;
    this.#release();
  }

  /** The function could not be loaded. */
  refuse(): void {
    this.#release();
  }

  /** The call that the code now running belongs to. */
  get currentCall(): Call | undefined {
    const current = this.#log.current;
    return current && [...this.#calls].find((call) => call.log === current);
  }

  /**
   * Takes no new connections and resolves when every call is answered, or after `drainMs`; what is
   * left then is cut off.
   */
  async drain(drainMs: number): Promise<void> {
    this.#draining = true;
    const servers = [this.#onSocket, this.#onPort];
    // From here on nobody connects to the socket any more, so that its queue comes to an end.
    if (this.#socketPath !== undefined) fs.rmSync(this.#socketPath, { force: true });
    await this.#takeWhatWasSent();
    // Not by http's own close(): it cuts off answers that are still being sent.
    for (const server of servers) NetServer.prototype.close.call(server);
    if (!this.#sending) for (const server of servers) server.closeIdleConnections();
    if (this.#busy) await this.#idle(drainMs);
    for (const call of this.#calls) call.cancel(new DOMException('Shutting down', 'AbortError'));
    for (const socket of this.#upgraded) socket.destroy();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  // Each turn of the event loop may accept one connection (libuv) and read what the earlier ones
  // sent, so it takes turns until one brings no connection.
  async #takeWhatWasSent(): Promise<void> {
    // The first turn is the one that goes on already.
    await turn();
    let before = -1;
    for (let turns = 0; before < this.#accepted && turns < limits.drainTurnsMax; turns++) {
      before = this.#accepted;
      await turn();
    }
  }

  // For Node a connection is idle once its answer was handed over, whether it is sent or not.
  get #sending(): boolean {
    return [...this.#calls].some(({ response }) => response.writableEnded);
  }

  get #busy(): boolean {
    return this.#calls.size > 0 || this.#upgraded.size > 0;
  }

  #idle(drainMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, drainMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #leave(): void {
    if (!this.#busy) this.#onIdle?.();
  }

  #createServer(): Server {
    const server = http.createServer({
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      // An upload may take as long as the call may; the call's own timeout ends it.
      requestTimeout: 0,
      // Other offers, such as h2c, may be ignored (RFC 9110, 7.8); then it is a plain call.
      shouldUpgradeCallback: ({ headers }) =>
        this.#function?.upgrade !== undefined || isWebSocket(headers.upgrade),
    });
    server.on('connection', () => {
      this.#accepted += 1;
    });
    server.on('request', (request, response) => this.#onRequest(request, response));
    server.on('checkContinue', (request, response) => this.#onExpect(request, response));
    server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
    return server;
  }

  #hold(response: ServerResponse, start: () => void): boolean {
    if (!this.#loading || this.#held.size >= limits.heldCallsMax) return false;
    this.#held.add(start);
    response.once('close', () => this.#held.delete(start));
    return true;
  }

  #release(): void {
    this.#loading = false;
    const held = [...this.#held];
    this.#held.clear();
    for (const start of held) start();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse, expects = false): void {
    if (this.#draining) response.shouldKeepAlive = false;
    const served = this.#function;
    if (this.#answerOwn(request, response)) return;
    if (served === undefined) {
      if (this.#hold(response, () => this.#onRequest(request, response, expects))) return;
      response.setHeader(unloadedHeader, '1');
      answerShort(response, { status: 503, text: 'No function is loaded' });
      return;
    }
    const call = this.#open(served, request, response);
    if (call.refuseDeclaredBody()) return;
    if (expects) response.writeContinue();
    this.#log.run(call.log, () => {
      served.respond(call).catch((error) => call.fail(error));
    });
  }

  // The paths that are the Runner's, for those who look after it.
  #answerOwn({ url, method }: IncomingMessage, response: ServerResponse): boolean {
    if (method !== 'GET' && method !== 'HEAD') return false;
    if (url === '/metrics') {
      const text = this.#metrics.render(this.#function?.specialisation);
      answerShort(response, { status: 200, text, type: 'text/plain; version=0.0.4' });
      return true;
    }
    if (url !== '/healthz' && url !== '/readyz') return false;
    const isFine = url === '/healthz' || (this.#function !== undefined && !this.#draining);
    answerShort(
      response,
      isFine ? { status: 200, text: 'ok' } : { status: 503, text: 'not ready' },
    );
    return true;
  }

  #onExpect(request: IncomingMessage, response: ServerResponse): void {
    this.#onRequest(request, response, true);
  }

  #open(served: ServedFunction, request: IncomingMessage, response: ServerResponse): Call {
    const call = new Call({
      requestId: this.#requestId(request),
      request,
      response,
      setting: { ...served, log: this.#log },
      onClose: (closed) => {
        this.#calls.delete(closed);
        this.#metrics.observe(closed.outcome);
        served.tracing?.end(closed);
        if (served.logsAccess) this.#log.print(formatAccess(closed, new Date()));
        this.#leave();
      },
    });
    this.#calls.add(call);
    served.tracing?.begin(call);
    return call;
  }

  // The Gateway names every call. For one that came around it, a number in this process is enough.
  #requestId(request: IncomingMessage): string {
    const given = request.headers[requestIdHeader];
    if (typeof given === 'string' && given !== '') return given;
    this.#madeIds += 1;
    return String(this.#madeIds).padStart(8, '0');
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const served = this.#function;
    const upgrade = served?.upgrade;
    if (served === undefined || upgrade === undefined) {
      refuseUpgrade(
        socket,
        501,
        'This function exports no upgrade(request, socket, head, context)',
      );
      return;
    }
    this.#upgraded.add(socket);
    const setting = { ...served, log: this.#log };
    const requestId = this.#requestId(request);
    handOver(upgrade, { requestId, request, socket, head, setting }, () => {
      this.#upgraded.delete(socket);
      this.#leave();
    });
  }
}

function listening(server: Server, listen: (server: Server) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen(server);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function isWebSocket(protocol: string | undefined): boolean {
  return protocol?.toLowerCase() === 'websocket';
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface ShortAnswer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

function answerShort(
  response: ServerResponse,
  { status, text, type = 'text/plain' }: ShortAnswer,
): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}
