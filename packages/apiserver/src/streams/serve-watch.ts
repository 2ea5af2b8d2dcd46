import type { Duplex } from 'node:stream';
import type { Clock } from '@fnlet/base';
import { type ApiRequest, type ApiResponse, textResponse } from '../request/api-request.ts';
import type { EventBatches } from '../request/event-batches.ts';
import { awaitFarewell, cutAfter } from './farewell.ts';
import { asksForWebSocket, webSocketResponse } from './upgrade.ts';
import { closeStatus, WebSocketConnection } from './websocket-connection.ts';
import { parseList } from './websocket-handshake.ts';

/** What a watch is answered with: who asks for a WebSocket, as Java's clients do, gets one. */
export interface WatchAnswer {
  readonly headers: ApiResponse['headers'];
  readonly batches: EventBatches;
}

/**
 * The answer to a watch: lines of HTTP, or messages of a WebSocket where the request asks for one.
 *
 * @throws StatusError `BadRequest`
 */
export function watchResponse(
  request: ApiRequest,
  clock: Clock,
  { headers, batches }: WatchAnswer,
): ApiResponse {
  if (!asksForWebSocket(request))
    return { status: 200, headers, body: { kind: 'events', batches } };
  // A browser names its page, and so must everybody here (golang.org/x/net/websocket, Handler).
  if (request.headers.origin === undefined) return textResponse(403, '');
  const [protocol = ''] = parseList(request.headers['sec-websocket-protocol']);
  const serve = (socket: Duplex): Promise<void> => serveWebSocketWatch(socket, batches, clock);
  return webSocketResponse(request, protocol, serve);
}

/**
 * Sends each event as a message, as fast as the client takes them. Resolves when the watch is over
 * and the client has heard so; the signal of its request ends a watch whose client has left.
 */
export async function serveWebSocketWatch(
  socket: Duplex,
  batches: EventBatches,
  clock: Clock,
): Promise<void> {
  const connection = new WebSocketConnection(socket);
  const reading = ignoreMessages(connection);
  void cutAfter(clock, reading, socket);
  try {
    for await (const batch of batches) {
      for (const { line } of batch) await sendText(connection, line);
    }
  } catch {
    // An event that cannot be written down: whoever still reads must not wait on.
  }
  connection.close(closeStatus.normal, '');
  await awaitFarewell(clock, reading);
}

/** A watching client has nothing to say but that it leaves. */
async function ignoreMessages(connection: WebSocketConnection): Promise<void> {
  for await (const _ of connection.pieces());
}

/** What can no longer be sent is dropped: the end of the watch follows. */
function sendText(connection: WebSocketConnection, line: Uint8Array): Promise<void> {
  return new Promise((resolve) => connection.send('text', [line], () => resolve()));
}
