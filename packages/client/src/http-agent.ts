import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Credentials } from './credentials.ts';
import { limits } from './limits.ts';

/** How to reach a server and whom to trust; see HttpTransportOptions. */
export interface HttpAgentOptions {
  readonly server: string;
  readonly caData?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
}

/** Kept-alive connections to one server with one client certificate. */
export interface HttpAgent {
  send(url: URL, options: RequestOptions): ClientRequest;
  /** Ends every connection, also those in use. */
  destroy(): void;
}

/** Opens connections when they are needed; nothing of Node's HTTP is loaded before this call. */
export function createHttpAgent(
  options: HttpAgentOptions,
  { certData, keyData }: Credentials,
): HttpAgent {
  const { server, caData, insecureSkipTlsVerify = false, tlsServerName, proxyUrl } = options;
  // Not imported: for an ES module Node reads every export, and one of them loads all of undici.
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const isHttps = new URL(server).protocol === 'https:';
  const kept = {
    keepAlive: true,
    maxSockets: limits.connectionsMax,
    timeout: limits.keepAliveMs,
    ...(proxyUrl === undefined
      ? {}
      : { proxyEnv: { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } }),
  };
  const agent = isHttps
    ? new https.Agent({
        ...kept,
        rejectUnauthorized: !insecureSkipTlsVerify,
        ...(caData === undefined ? {} : { ca: caData }),
        ...(certData === undefined ? {} : { cert: certData }),
        ...(keyData === undefined ? {} : { key: keyData }),
        ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
      })
    : new http.Agent(kept);
  // A proxy's tunnel is Node's own affair.
  if (proxyUrl === undefined) readIntoOneBuffer(agent);
  const { request } = isHttps ? https : http;
  return {
    send: (url, requestOptions) => request(url, { ...requestOptions, agent }),
    destroy: () => agent.destroy(),
  };
}

/**
 * Lets each connection read into a buffer of its own, again and again. Node would take 64 kB for
 * each read, which wait for the garbage collector: 50 MB of them while a large list streams. The
 * parser copies what it hands out, so that nobody holds on to the buffer.
 */
function readIntoOneBuffer(agent: Agent): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback): Duplex | null | undefined => {
    const buffer = Buffer.allocUnsafeSlow(limits.readBufferBytes);
    const onread = {
      buffer,
      callback: (size: number): boolean => {
        socket?.emit('data', buffer.subarray(0, size));
        return true;
      },
    };
    const socket: Duplex | null | undefined = connect(
      { ...options, ...{ onread, timeout: limits.connectTimeoutMs } },
      callback,
    );
    if (isSocket(socket)) limitConnectTime(socket);
    return socket;
  };
}

function isSocket(stream: Duplex | null | undefined): stream is Socket {
  return typeof stream === 'object' && stream !== null && 'setTimeout' in stream;
}

function limitConnectTime(socket: Socket): void {
  const onTimeout = (): void => {
    socket.destroy(new Error(`found no connection within ${limits.connectTimeoutMs} ms`));
  };
  socket.once('timeout', onTimeout);
  const connected = 'encrypted' in socket ? 'secureConnect' : 'connect';
  socket.once(connected, () => socket.off('timeout', onTimeout));
}
