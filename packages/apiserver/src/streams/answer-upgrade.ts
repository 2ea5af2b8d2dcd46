/**
 * Owns the connections that clients asked to change the protocol of (RFC 9110, §7.8).
 *
 * I1. Every such request goes through the server like any other: authenticated, authorized, and
 *     answered with a Status when it is refused.
 * I2. A connection ends with its session, and its session with the connection.
 */
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import type { ApiServer } from '../api-server.ts';
import { streamIdleMs, streamKeepAliveMs, streamSessionsMax } from '../limits.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../request/api-request.ts';
import { headersOf } from '../request/request-headers.ts';

/** One request for another protocol, with the connection that it came on. */
export interface UpgradeExchange {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came after the request's head already. */
  readonly head: Uint8Array;
  /** Aborts when the front closes. */
  readonly closing: AbortSignal;
}

/** Answers such requests; never rejects. Resolves when the connection has ended. */
export type UpgradeAnswerer = (exchange: UpgradeExchange) => Promise<void>;

export function createUpgradeAnswerer(server: ApiServer, clock: Clock): UpgradeAnswerer {
  let sessions = 0;
  return async (exchange) => {
    const { socket } = exchange;
    sessions += 1;
    const stopWatching = watchForSilence(socket, clock);
    try {
      await answer(exchange, (request) =>
        sessions > streamSessionsMax ? Promise.resolve(tooMany()) : server.handle(request),
      );
    } catch {
      // Only the connection fails here: the server answers every request.
    } finally {
      sessions -= 1;
      stopWatching();
      socket.destroy();
    }
  };
}

async function answer(
  { request, socket, head, closing }: UpgradeExchange,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  if (head.length > 0) socket.unshift(head);
  const signal = AbortSignal.any([gone.signal, closing]);
  const response = await handle(toApiRequest(request, signal));
  // Loaded for the first of them: it needs node:http, which is slow to import.
  const { formatHead, sendPlainAnswer } = await import('./plain-answer.ts');
  if (response.body.kind !== 'upgrade') return sendPlainAnswer(socket, response, signal);
  socket.write(formatHead(response));
  await response.body.serve(socket);
}

/**
 * Cuts a connection on which nothing comes or goes; TCP itself asks after a peer whose machine is
 * gone. Returns the way to stop watching.
 */
function watchForSilence(socket: Duplex, clock: Clock): () => void {
  if (!(socket instanceof Socket)) return () => {};
  socket.setKeepAlive(true, streamKeepAliveMs);
  let seenBytes = -1;
  let timer: Timer | undefined;
  const look = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (bytes === seenBytes) socket.destroy();
    seenBytes = bytes;
    timer = clock.after(streamIdleMs, look);
  };
  look();
  return () => timer?.cancel();
}

function tooMany(): ApiResponse {
  const text = `too many streaming connections, at most ${streamSessionsMax} are served`;
  return jsonResponse(429, statusError('TooManyRequests', text, { retryAfterSeconds: 1 }).status);
}

function toApiRequest(request: IncomingMessage, signal: AbortSignal): ApiRequest {
  const { method = 'GET', url = '/' } = request;
  const queryStart = url.indexOf('?');
  return {
    method,
    path: queryStart < 0 ? url : url.slice(0, queryStart),
    query: new URLSearchParams(queryStart < 0 ? '' : url.slice(queryStart + 1)),
    headers: headersOf(request),
    signal,
  };
}
