/**
 * Takes webhooks, at `/-/webhooks/<namespace>/<function>` of the Gateway: which reaches what answers
 * them as it reaches Instances, by a socket. Loaded with the first Function that wants them.
 */
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { createSocketDirectory } from '@fnlet/executor';
import { answerWebhook, type WebhookAnswer, type WebhookParts } from '@fnlet/functions';
import type { Gateway } from '@fnlet/gateway';
import type { House } from './house.ts';
import { webhookBytesMax, webhookTimeoutMs } from './limits.ts';
import { webhooksRevision } from './webhooks-revision.ts';

// An import would load all that node:http exports, as the status page knows.
const { createServer } = process.getBuiltinModule('node:http');

/** Begins to take them; what it starts stops with the house. */
export async function startWebhooks(
  { options, data, server, stack }: House,
  gateway: Pick<Gateway, 'setRoute' | 'setEndpoints'>,
): Promise<void> {
  const { clock, random, logger } = options;
  const client = createClient(server.transport(), { fieldManager: 'fnlet-webhooks', clock });
  const directory = join(data.root, 'webhooks');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (stack.disposed) return;
  const sockets = createSocketDirectory(directory);
  stack.defer(() => sockets.remove());
  const abort = new AbortController();
  const parts = { client, clock, random };
  const front = createServer((request, response) => {
    answer(request, response, { parts, signal: abort.signal }).catch((error: unknown) => {
      logger.warn('Cannot answer a webhook', { error: errorMessage(error) });
      if (response.headersSent) response.destroy();
      else send(response, 500, 'The webhook could not be answered: it may be sent again');
    });
  });
  stack.defer(() => {
    abort.abort();
    front.close();
    front.closeAllConnections();
  });
  const socketPath = sockets.nextPath();
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject);
    front.listen(socketPath, resolve);
  });
  gateway.setRoute({
    namespace: '-',
    function: 'webhooks',
    revision: webhooksRevision,
    timeoutMs: webhookTimeoutMs,
    wakeMs: webhookTimeoutMs,
    bodyBytesMax: webhookBytesMax,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  });
  gateway.setEndpoints(webhooksRevision, [{ id: 'webhooks', socketPath }]);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { parts, signal }: { readonly parts: WebhookParts; readonly signal: AbortSignal },
): Promise<void> {
  // The Gateway lets no larger one through.
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const { method = '', url: path = '' } = request;
  const delivery = { method, path, headers, body: Buffer.concat(chunks) };
  const { status, message }: WebhookAnswer = await answerWebhook(parts, delivery, signal);
  send(response, status, message);
}

function send(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ message })}\n`);
}
