/**
 * Answers in the controller what Gateways pass on to it.
 *
 * I1. Nothing is read of a request without the key of a Gateway that is connected.
 * I2. What is held of requests at once is bounded; who comes beyond that is told to come again.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, type Logger } from '@fnlet/base';
import type { Responder, ResponderAnswer } from '@fnlet/gateway';
import type { RelayPlace } from './fleet-message.ts';
import { relayBytesMax, relayHeldBytesMax } from './limits.ts';
import { readRelayedRequest, relayPath, writeRelayedAnswer } from './relay-message.ts';

export interface RelayFrontOptions {
  readonly responderAt: (place: RelayPlace) => Responder | undefined;
  readonly logger: Logger;
}

export class RelayFront {
  readonly #options: RelayFrontOptions;
  /** Those of the Gateways that are connected. */
  readonly #keys = new Set<string>();
  #heldBytes = 0;

  constructor(options: RelayFrontOptions) {
    this.#options = options;
  }

  /** Whoever shows it is heard, until the returned function is called. */
  admit(key: string): () => void {
    this.#keys.add(key);
    return () => void this.#keys.delete(key);
  }

  /** Answers one request of a Gateway. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const bytes = Number(request.headers['content-length'] ?? Number.NaN);
    // What is refused is not read, nor waited for.
    const refuse = (status: number): void => void response.writeHead(status, closing).end();
    const refusal = this.#refusalOf(request, bytes);
    if (refusal !== undefined) {
      refuse(refusal);
      return;
    }
    this.#heldBytes += bytes;
    this.#respond(request, response)
      .catch((error: unknown) => {
        this.#options.logger.error('Cannot answer a Gateway', { error: errorMessage(error) });
        if (!response.headersSent) refuse(500);
        else response.destroy();
      })
      .finally(() => {
        this.#heldBytes -= bytes;
      });
  }

  #refusalOf({ url, method, headers }: IncomingMessage, bytes: number): number | undefined {
    const [, key = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    if (url !== relayPath || method !== 'POST') return 404;
    // I1
    if (!this.#keys.has(key)) return 401;
    if (!(bytes <= relayBytesMax)) return 413;
    // I2
    return this.#heldBytes + bytes > relayHeldBytesMax ? 503 : undefined;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
    } catch {
      // Whoever sent it is gone, and hears no answer.
      return;
    }
    const relayed = readRelayedRequest(Buffer.concat(chunks));
    if (relayed === undefined) return void response.writeHead(400, closing).end();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const responder = this.#options.responderAt(relayed.place);
    const answer = responder && (await responder.respond(relayed.request, gone.signal));
    const body = writeRelayedAnswer(answer ?? nobody);
    response.writeHead(200, { 'content-length': body.length });
    response.end(body);
  }
}

const closing = { connection: 'close', 'content-length': 0 } as const;

const nobody: ResponderAnswer = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: '{"status":404,"code":"NotFound","message":"Nobody answers here"}\n',
};
