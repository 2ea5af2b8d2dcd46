import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Readable } from 'node:stream';
import { errorMessage, type Logger } from '@fnlet/base';
import type { CertificatePair } from './certificate-authority.ts';
import { limits } from './limits.ts';

export interface HttpsListenerOptions {
  /** Answers requests; bounds what it reads of them. */
  readonly handler: (request: Request) => Promise<Response>;
  readonly certificate: CertificatePair;
  /** Default: all addresses of the machine, those of IPv6 where it has some. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  readonly logger: Logger;
}

/** A server that an API calls back, such as one for webhooks. */
export interface HttpsListener extends AsyncDisposable {
  readonly port: number;
  /** New connections are given this certificate; open ones go on. */
  renew(certificate: CertificatePair): void;
  /** Takes no more connections; resolves when the answers under way are sent. */
  close(): Promise<void>;
}

/** Listens for HTTPS and hands each request to a web-standard handler. */
export async function listenHttps(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { certPem, keyPem } = options.certificate;
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    void serve(options, request, response);
  });
  server.requestTimeout = limits.callbackTimeoutMs;
  const port = await listen(server, options);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  return {
    port,
    renew: ({ certPem: cert, keyPem: key }) => server.setSecureContext({ cert, key }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, { host, port }: HttpsListenerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function serve(
  { handler, logger }: HttpsListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const answer = await handler(toRequest(request));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    logger.error(`Cannot answer ${request.method} "${request.url}": ${errorMessage(error)}`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
}

function toRequest(request: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = request;
  const fields = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name.startsWith(':') ? [] : [[name, String(value)]],
  );
  // The name that the client asked for means nothing here: one handler answers all of them.
  const target = new URL(url, 'https://localhost');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(request), duplex: 'half' as const } : {};
  return new Request(target, { method, headers: fields, ...body });
}
