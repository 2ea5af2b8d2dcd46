import type { Duplex } from 'node:stream';
import { badRequest } from '../answer/status-texts.ts';
import type { ApiRequest, ApiResponse } from '../request/api-request.ts';
import { textResponse } from '../request/api-request.ts';
import { acceptKey, negotiateProtocol, parseList } from './websocket-handshake.ts';

/** What a client wants to change the protocol of its connection to. */
export type UpgradeKind = 'spdy' | 'websocket';

type Serve = (connection: Duplex) => Promise<void>;

/** @throws StatusError `BadRequest` when it asks for no change, or for one to something else. */
export function upgradeKind(request: ApiRequest): UpgradeKind {
  const connection = parseList(request.headers.connection?.toLowerCase());
  const asked = request.headers.upgrade?.toLowerCase();
  if (!connection.includes('upgrade') || asked === undefined) {
    throw badRequest('Upgrade request required');
  }
  if (asked === 'spdy/3.1') return 'spdy';
  if (asked === 'websocket') return 'websocket';
  throw badRequest(`unable to upgrade: protocol ${JSON.stringify(asked)} is not served`);
}

/** Whether a request that needs no other protocol asks for a WebSocket all the same. */
export function asksForWebSocket({ headers }: ApiRequest): boolean {
  const connection = parseList(headers.connection?.toLowerCase());
  return connection.includes('upgrade') && headers.upgrade?.toLowerCase() === 'websocket';
}

/** The protocols that a SPDY client would speak; those of old clients have no name. */
export function offeredStreamProtocols(request: ApiRequest): readonly string[] {
  return parseList(request.headers['x-stream-protocol-version']);
}

/** The answer that turns the connection into SPDY. */
export function spdyResponse(protocol: string, serve: Serve): ApiResponse {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': protocol,
  };
  return { status: 101, headers, body: { kind: 'upgrade', serve } };
}

/** The refusal of a SPDY client that speaks none of the protocols that are served. */
export function refusedStreamProtocol(
  offered: readonly string[],
  served: readonly string[],
): ApiResponse {
  const lists = `client supports [${offered.join(' ')}], server accepts [${served.join(' ')}]`;
  const answer = textResponse(403, `unable to upgrade: unable to negotiate protocol: ${lists}`);
  const headers = { ...answer.headers, 'x-accepted-stream-protocol-versions': served.join(', ') };
  return { ...answer, headers };
}

/**
 * The protocol of a WebSocket: the first that the client offers and `served` has; the empty name
 * when it offers none.
 *
 * @throws StatusError `BadRequest`
 */
export function webSocketProtocol<T extends string>(
  request: ApiRequest,
  served: readonly T[],
): T | '' {
  const offered = parseList(request.headers['sec-websocket-protocol']);
  if (offered.length === 0) return '';
  const protocol = negotiateProtocol(offered, served);
  if (protocol !== undefined) return protocol;
  const lists = `client supports [${offered.join(' ')}], server accepts [${served.join(' ')}]`;
  throw badRequest(`unable to upgrade: unable to negotiate protocol: ${lists}`);
}

/**
 * The answer that turns the connection into a WebSocket.
 *
 * @throws StatusError `BadRequest`
 */
export function webSocketResponse(
  request: ApiRequest,
  protocol: string,
  serve: Serve,
): ApiResponse {
  const key = request.headers['sec-websocket-key'] ?? '';
  const version = request.headers['sec-websocket-version'];
  if (request.method !== 'GET' || version !== '13' || key === '') {
    throw badRequest('unable to upgrade: a WebSocket of version 13 with a key is required');
  }
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-accept': acceptKey(key),
    ...(protocol === '' ? {} : { 'sec-websocket-protocol': protocol }),
  };
  return { status: 101, headers, body: { kind: 'upgrade', serve } };
}
