import { createServer, type ServerResponse } from 'node:http';
import { errorMessage, type Logger } from '@fnlet/base';
import { healthRequestMs } from './limits.ts';

/** A server of health pages: plain HTTP, for a kubelet and Prometheus. */
export interface HealthListener extends AsyncDisposable {
  readonly port: number;
}

/** Listens on `port`, 0 takes a free one, on all addresses: kubelets ask from outside. */
export async function listenForHealth(options: {
  readonly pages: (request: Request) => Promise<Response>;
  readonly port: number;
  readonly logger: Logger;
}): Promise<HealthListener> {
  const { pages, logger } = options;
  const server = createServer(({ method = 'GET', url = '/' }, response) => {
    answer(response, () => pages(new Request(new URL(url, 'http://localhost'), { method }))).catch(
      (error: unknown) => {
        logger.error(`Cannot answer ${method} "${url}": ${errorMessage(error)}`);
        response.writeHead(500).end();
      },
    );
  });
  server.requestTimeout = healthRequestMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(response: ServerResponse, ask: () => Promise<Response>): Promise<void> {
  const { status, headers, body } = await ask().then(async (page) => ({
    status: page.status,
    headers: Object.fromEntries(page.headers),
    body: await page.text(),
  }));
  response.writeHead(status, headers).end(body);
}
