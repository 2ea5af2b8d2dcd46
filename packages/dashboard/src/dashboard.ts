import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage, FnletError, type Logger } from '@fnlet/base';
import { requestTimeoutMs } from './limits.ts';
import { renderStatusPage, type StatusSnapshot } from './status-page.ts';

export interface DashboardOptions {
  /** What runs right now; called for every page, so it must be cheap. */
  readonly snapshot: () => StatusSnapshot;
  readonly logger: Logger;
}

/** The web page about this Fnlet. Read-only, without credentials: it shows no secrets. */
export interface Dashboard {
  /**
   * Listens, and resolves with the port.
   *
   * @throws FnletError `AddressInUse` when another program has the port, else `CannotListen`
   */
  listen(options: { readonly host: string; readonly port: number }): Promise<{ port: number }>;
  /** Ends every connection, then resolves. */
  close(): Promise<void>;
}

// An import would load all that node:http exports, a WebSocket client among it: 20 ms of the start.
const { createServer } = process.getBuiltinModule('node:http');

const commonHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
};

/** A server for the status page (`/`) and `/healthz`; it opens no socket before `listen`. */
export function createDashboard({ snapshot, logger }: DashboardOptions): Dashboard {
  const server = createServer((request, response) => {
    try {
      answer(request.method ?? '', request.url ?? '/', { response, snapshot });
    } catch (error) {
      logger.error('Status page failed', { error: errorMessage(error) });
      send(response, 500, { type: 'text/plain', text: 'Internal error\n' });
    }
  });
  server.requestTimeout = requestTimeoutMs;
  return {
    listen: ({ host, port }) => listen(server, host, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly response: ServerResponse;
  readonly snapshot: () => StatusSnapshot;
}

function answer(method: string, url: string, { response, snapshot }: Answer): void {
  const path = url.split('?', 1)[0];
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    send(response, 405, { type: 'text/plain', text: 'Only GET is answered here\n' });
  } else if (path === '/') {
    send(response, 200, { type: 'text/html', text: renderStatusPage(snapshot()) });
  } else if (path === '/healthz') {
    send(response, 200, { type: 'text/plain', text: 'ok\n' });
  } else {
    send(response, 404, { type: 'text/plain', text: 'Not found; the status page is at /\n' });
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: { type: string; text: string },
): void {
  response.writeHead(status, { ...commonHeaders, 'Content-Type': `${body.type}; charset=utf-8` });
  response.end(response.req.method === 'HEAD' ? undefined : body.text);
}

function listen(server: Server, host: string, port: number): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const inUse = cause.code === 'EADDRINUSE';
      reject(
        new FnletError(
          inUse ? 'AddressInUse' : 'CannotListen',
          `Cannot serve the status page on ${host}:${port}: ${inUse ? 'the port is in use' : cause.message}`,
          { cause, remedy: 'Choose another port with --dashboard-port; 0 picks a free one' },
        ),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve({ port: isAddressInfo(address) ? address.port : port });
    });
  });
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
