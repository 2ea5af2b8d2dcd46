import { once } from 'node:events';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { statusError } from '@fnlet/machinery';
import type { ApiServer } from '../api-server.ts';
import { bodyBytesMax, gzipBytesMin } from '../limits.ts';
import { type ApiRequestBody, type ApiResponse, jsonResponse } from '../request/api-request.ts';
import type { EventBatches } from '../request/event-batches.ts';
import { headersOf } from '../request/request-headers.ts';
import { EventSender, joinLines } from './event-sender.ts';
import { HttpCaller, type HttpExchange } from './http-caller.ts';

/**
 * Carries one HTTP request to the server and its answer back; never rejects. Watches and logs go
 * out piece by piece, as fast as the client takes them.
 */
export async function answerHttp(server: ApiServer, exchange: HttpExchange): Promise<void> {
  const { response } = exchange;
  const caller = new HttpCaller(exchange);
  try {
    await respond(server, exchange, caller);
    await caller.closed;
  } catch {
    // The connection failed, or the answer in its middle: whoever still reads must not wait on.
    response.destroy();
  }
}

// A function of its own: nothing of it stays while a watch is open.
async function respond(
  server: ApiServer,
  { request, response }: HttpExchange,
  caller: HttpCaller,
): Promise<void> {
  const answer = await handle(server, request, caller);
  if (caller.hasLeft) return;
  await send(response, answer, { caller, encodings: request.headers['accept-encoding'] });
}

async function handle(
  server: ApiServer,
  request: Http2ServerRequest,
  caller: HttpCaller,
): Promise<ApiResponse> {
  const { method, url } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const bytes = hasBody ? await readBody(request) : noBytes;
  if (bytes === undefined) {
    const text = `Request entity too large: limit is ${bodyBytesMax}`;
    return jsonResponse(413, statusError('RequestEntityTooLarge', text).status);
  }
  const queryStart = url.indexOf('?');
  return server.handle({
    method,
    path: queryStart < 0 ? url : url.slice(0, queryStart),
    query: new URLSearchParams(queryStart < 0 ? '' : url.slice(queryStart + 1)),
    headers: headersOf(request),
    body: toBody(bytes),
    get signal() {
      return caller.signal;
    },
  });
}

const noBytes = new Uint8Array();

function toBody(bytes: Uint8Array): ApiRequestBody | undefined {
  return bytes.byteLength === 0 ? undefined : { kind: 'bytes', bytes };
}

/** The whole body; `undefined` when it is larger than a body may be. */
function readBody(request: Http2ServerRequest): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      // The rest is read and dropped, up to a point: a client that is still sending does not read.
      if (size <= bodyBytesMax) chunks.push(chunk);
      else chunks.length = 0;
      if (size > 2 * bodyBytesMax) request.destroy();
    });
    request.once('end', () => {
      const [first = noBytes] = chunks;
      const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
      resolve(size > bodyBytesMax ? undefined : bytes);
    });
    request.once('close', () => {
      if (!request.complete) reject(new Error('The client left while it sent'));
    });
  });
}

interface Sending {
  readonly caller: HttpCaller;
  /** The Accept-Encoding of the client. */
  readonly encodings: string | string[] | undefined;
}

async function send(
  response: Http2ServerResponse,
  answer: ApiResponse,
  { caller, encodings = '' }: Sending,
): Promise<void> {
  const { body } = answer;
  switch (body.kind) {
    case 'events':
      return sendEvents(response, answer, { batches: body.batches, caller });
    case 'stream':
      return sendPieces(response, answer, { pieces: body.chunks, caller });
    case 'upgrade':
      // Only a request that came as an upgrade is answered with one, and not here.
      throw new Error('Broken invariant: an upgrade was answered to a plain request');
    default: {
      const isGzipTaken = String(encodings).includes('gzip');
      return sendWhole(response, answer, { whole: wholeOf(body), isGzipTaken });
    }
  }
}

type WholeBody = Exclude<ApiResponse['body'], { kind: 'events' | 'stream' | 'upgrade' }>;

function wholeOf(body: WholeBody): string | Uint8Array {
  switch (body.kind) {
    case 'json':
      return `${body.document.text}\n`;
    case 'text':
      return body.text;
    case 'bytes':
      return body.bytes;
  }
}

const gzip = promisify(zlib.gzip);

async function sendWhole(
  response: Http2ServerResponse,
  { status, headers }: ApiResponse,
  { whole, isGzipTaken }: { whole: string | Uint8Array; isGzipTaken: boolean },
): Promise<void> {
  const bytes = Buffer.byteLength(whole);
  if (!isGzipTaken || bytes < gzipBytesMin) {
    // Head and text go out in one piece, which is one TLS record for most answers.
    response.writeHead(status, { ...headers, 'content-length': String(bytes) });
    response.end(whole);
    return;
  }
  // The level of kube-apiserver: half of the gain for a fifth of the time.
  const zipped = await gzip(whole, { level: zlib.constants.Z_BEST_SPEED });
  const length = String(zipped.byteLength);
  const encoded = { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-length': length };
  response.writeHead(status, { ...headers, ...encoded });
  response.end(zipped);
}

async function sendEvents(
  response: Http2ServerResponse,
  answer: ApiResponse,
  { batches, caller }: { batches: EventBatches; caller: HttpCaller },
): Promise<void> {
  const flow = batches.flow?.bind(batches);
  if (flow === undefined) {
    return sendPieces(response, answer, { pieces: linesOf(batches), caller });
  }
  sendHead(response, answer);
  caller.follow(new EventSender(response).send(flow));
}

async function* linesOf(batches: EventBatches): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const batch of batches) yield joinLines(batch);
}

async function sendPieces(
  response: Http2ServerResponse,
  answer: ApiResponse,
  { pieces, caller }: { pieces: AsyncIterable<Uint8Array>; caller: HttpCaller },
): Promise<void> {
  const { signal } = caller;
  sendHead(response, answer);
  for await (const piece of pieces) {
    if (signal.aborted) break;
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
  response.end();
}

/** The client learns that its watch is open before the first event comes. */
function sendHead(response: Http2ServerResponse, { status, headers }: ApiResponse): void {
  response.writeHead(status, { ...headers });
  // HTTP/2 has sent the headers by now; HTTP/1.1 holds them back, and its type is not told.
  if ('flushHeaders' in response && typeof response.flushHeaders === 'function') {
    response.flushHeaders();
  }
}
