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
import { statusError } from '@fnlet/machinery';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../api-request.ts';
import type { ApiServer } from '../api-server.ts';
import { streamIdleMs, streamKeepAliveMs, streamSessionsMax } from '../limits.ts';
import { formatHead, sendPlainAnswer } from './plain-answer.ts';

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

export function createUpgradeAnswerer(server: ApiServer): UpgradeAnswerer {
  let sessions = 0;
  return async (exchange) => {
    const { socket } = exchange;
    sessions += 1;
    try {
      await answer(exchange, (request) =>
        sessions > streamSessionsMax ? Promise.resolve(tooMany()) : server.handle(request),
      );
    } catch {
      // Only the connection fails here: the server answers every request.
    } finally {
      sessions -= 1;
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
  watchForSilence(socket);
  if (head.length > 0) socket.unshift(head);
  const signal = AbortSignal.any([gone.signal, closing]);
  const response = await handle(toApiRequest(request, signal));
  if (response.body.kind !== 'upgrade') return sendPlainAnswer(socket, response, signal);
  socket.write(formatHead(response));
  await response.body.serve(socket);
}

// A peer whose machine is gone says nothing, and a session that nobody uses costs a process.
function watchForSilence(socket: Duplex): void {
  if (!(socket instanceof Socket)) return;
  socket.setNoDelay(true);
  socket.setKeepAlive(true, streamKeepAliveMs);
  socket.setTimeout(streamIdleMs, () => socket.destroy());
}

function tooMany(): ApiResponse {
  const text = `too many streaming connections, at most ${streamSessionsMax} are served`;
  return jsonResponse(429, statusError('TooManyRequests', text, { retryAfterSeconds: 1 }).status);
}

function toApiRequest(request: IncomingMessage, signal: AbortSignal): ApiRequest {
  const { method = 'GET', url = '/' } = request;
  const queryStart = url.indexOf('?');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return {
    method,
    path: queryStart < 0 ? url : url.slice(0, queryStart),
    query: new URLSearchParams(queryStart < 0 ? '' : url.slice(queryStart + 1)),
    headers,
    signal,
  };
}
