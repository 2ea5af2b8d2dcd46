import { once } from 'node:events';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { statusError } from '@fnlet/machinery';
import { type ApiResponse, jsonResponse } from './api-request.ts';
import type { ApiServer } from './api-server.ts';
import { bodyBytesMax } from './limits.ts';
import { headersOf } from './request-headers.ts';

/** One request and its answer on the wire, over HTTP/2 or HTTP/1.1. */
export interface HttpExchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  /** Aborts when the front closes. */
  readonly closing: AbortSignal;
}

/**
 * Carries one HTTP request to the server and its answer back; never rejects. Watches and logs go
 * out piece by piece, as fast as the client takes them.
 */
export async function answerHttp(
  server: ApiServer,
  { request, response, closing }: HttpExchange,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // Without a listener a broken connection would be an uncaught error.
  response.on('error', () => gone.abort());
  request.on('error', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closing]);
  try {
    const answer = await exchange(server, request, signal);
    await send(response, answer, { signal, gone: gone.signal });
  } catch {
    // Only the connection fails here: the server answers every request.
    response.stream?.destroy();
  }
}

async function exchange(
  server: ApiServer,
  request: Http2ServerRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const { method, url } = request;
  const bytes = await readBody(request);
  if (bytes === undefined) {
    const text = `Request entity too large: limit is ${bodyBytesMax}`;
    return jsonResponse(413, statusError('RequestEntityTooLarge', text).status);
  }
  const queryStart = url.indexOf('?');
  const path = queryStart < 0 ? url : url.slice(0, queryStart);
  const query = new URLSearchParams(queryStart < 0 ? '' : url.slice(queryStart + 1));
  const body = bytes.byteLength === 0 ? undefined : { kind: 'bytes' as const, bytes };
  return server.handle({ method, path, query, headers: headersOf(request), body, signal });
}

/** The whole body; `undefined` when it is larger than a body may be. */
async function readBody(request: Http2ServerRequest): Promise<Uint8Array | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // The rest is read and dropped, up to a point: a client that is still sending does not read.
    if (size <= bodyBytesMax) chunks.push(chunk);
    else chunks.length = 0;
    if (size > 2 * bodyBytesMax) break;
  }
  return size > bodyBytesMax ? undefined : Buffer.concat(chunks);
}

type Head = Pick<ApiResponse, 'status' | 'headers'>;

interface SendSignals {
  /** The client has left, or the front closes. */
  readonly signal: AbortSignal;
  /** The client has left. */
  readonly gone: AbortSignal;
}

async function send(
  response: Http2ServerResponse,
  { body, ...head }: ApiResponse,
  { signal, gone }: SendSignals,
): Promise<void> {
  switch (body.kind) {
    case 'json':
      return sendWhole(response, { ...head, gone }, Buffer.from(`${JSON.stringify(body.value)}\n`));
    case 'text':
      return sendWhole(response, { ...head, gone }, Buffer.from(body.text));
    case 'bytes':
      return sendWhole(response, { ...head, gone }, body.bytes);
    case 'documents':
      return sendPieces(response, { ...head, pieces: lines(body.documents), signal, gone });
    case 'stream':
      return sendPieces(response, { ...head, pieces: body.chunks, signal, gone });
    case 'upgrade':
      // Only a request that came as an upgrade is answered with one, and not here.
      throw new Error('Broken invariant: an upgrade was answered to a plain request');
  }
}

function sendWhole(
  response: Http2ServerResponse,
  { status, headers, gone }: Head & { readonly gone: AbortSignal },
  bytes: Uint8Array,
): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': String(bytes.byteLength) });
  return end(response, gone, bytes);
}

// What is written to a client that has left is never finished, and must not be waited for.
function end(
  response: Http2ServerResponse,
  gone: AbortSignal,
  bytes: Uint8Array = new Uint8Array(),
): Promise<void> {
  if (gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    gone.addEventListener('abort', () => resolve(), { once: true });
    response.end(bytes, () => resolve());
  });
}

async function* lines(documents: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const document of documents) yield Buffer.from(`${JSON.stringify(document)}\n`);
}

async function sendPieces(
  response: Http2ServerResponse,
  answer: Head & SendSignals & { readonly pieces: AsyncIterable<Uint8Array> },
): Promise<void> {
  const { status, headers, pieces, signal, gone } = answer;
  response.writeHead(status, { ...headers });
  // The client learns that its watch is open before the first event comes. HTTP/2 has sent the
  // headers by now; HTTP/1.1 holds them back, and its type is not told.
  if ('flushHeaders' in response && typeof response.flushHeaders === 'function') {
    response.flushHeaders();
  }
  for await (const piece of pieces) {
    if (signal.aborted) break;
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
  await end(response, gone);
}
