import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { statusError } from '@fnlet/machinery';
import type { ApiServer } from '../api-server.ts';
import { bodyBytesMax, gzipBytesMin } from '../limits.ts';
import { type ApiRequestBody, type ApiResponse, jsonResponse } from '../request/api-request.ts';
import type { EventBatches } from '../request/event-batches.ts';
import { headersOf } from '../request/request-headers.ts';
import type { FanOut } from '../watch/fan-out.ts';
import { EventSender, joinLines } from './event-sender.ts';
import { HttpCaller } from './http-caller.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { OpenCallers } from './open-callers.ts';

/** What the answers of one front share. */
export interface Answering {
  readonly server: ApiServer;
  readonly open: OpenCallers;
  /** Says when watches send. */
  readonly fanOut: FanOut;
}

/**
 * Carries one HTTP request to the server and its answer back; never rejects. Watches go out as
 * their events come, and nothing of this waits for their end; logs piece by piece, as fast as the
 * client takes them.
 */
export async function answerHttp(exchange: HttpExchange, front: Answering): Promise<void> {
  const caller = new HttpCaller(exchange, front.open);
  try {
    const answer = await handle(front.server, exchange, caller);
    if (!caller.hasLeft) await send(exchange, answer, { caller, fanOut: front.fanOut });
  } catch {
    // The connection failed, or the answer in its middle: whoever still reads must not wait on.
    exchange.outgoing.destroy();
  }
}

async function handle(
  server: ApiServer,
  exchange: HttpExchange,
  caller: HttpCaller,
): Promise<ApiResponse> {
  const { method, url, incoming } = exchange;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const bytes = hasBody ? await readBody(incoming) : noBytes;
  if (bytes === undefined) {
    const text = `Request entity too large: limit is ${bodyBytesMax}`;
    return jsonResponse(413, statusError('RequestEntityTooLarge', text).status);
  }
  const queryStart = url.indexOf('?');
  const search = queryStart < 0 ? '' : url.slice(queryStart + 1);
  return server.handle({
    method,
    path: queryStart < 0 ? url : url.slice(0, queryStart),
    query: new URLSearchParams(search),
    search,
    headers: headersOf(exchange),
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
function readBody(incoming: Readable): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      // The rest is read and dropped, up to a point: a client that is still sending does not read.
      if (size <= bodyBytesMax) chunks.push(chunk);
      else chunks.length = 0;
      if (size > 2 * bodyBytesMax) incoming.destroy();
    });
    incoming.once('end', () => {
      const [first = noBytes] = chunks;
      const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
      resolve(size > bodyBytesMax ? undefined : bytes);
    });
    incoming.once('close', () => {
      if (!incoming.readableEnded) reject(new Error('The client left while it sent'));
    });
  });
}

/** To whom an answer goes, and when the events of a watch. */
interface Way {
  readonly caller: HttpCaller;
  readonly fanOut: FanOut;
}

async function send(exchange: HttpExchange, answer: ApiResponse, way: Way): Promise<void> {
  const { body } = answer;
  switch (body.kind) {
    case 'events':
      return sendEvents(exchange, answer, { ...way, batches: body.batches });
    case 'stream':
      return sendPieces(exchange, answer, { ...way, pieces: body.chunks });
    case 'upgrade':
      // Only a request that came as an upgrade is answered with one, and not here.
      throw new Error('Broken invariant: an upgrade was answered to a plain request');
    default:
      return sendWhole(exchange, answer, wholeOf(body));
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
  { headers: asked, outgoing, begin }: HttpExchange,
  { status, headers }: ApiResponse,
  whole: string | Uint8Array,
): Promise<void> {
  const bytes = Buffer.byteLength(whole);
  const isGzipTaken = String(asked['accept-encoding']).includes('gzip');
  if (!isGzipTaken || bytes < gzipBytesMin) {
    // Head and text go out in one piece, which is one TLS record for most answers.
    if (begin(status, { ...headers, 'content-length': String(bytes) })) outgoing.end(whole);
    return;
  }
  // The level of kube-apiserver: half of the gain for a fifth of the time.
  const zipped = await gzip(whole, { level: zlib.constants.Z_BEST_SPEED });
  const length = String(zipped.byteLength);
  const encoded = { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-length': length };
  if (begin(status, { ...headers, ...encoded })) outgoing.end(zipped);
}

async function sendEvents(
  exchange: HttpExchange,
  answer: ApiResponse,
  { batches, caller, fanOut }: Way & { batches: EventBatches },
): Promise<void> {
  const flow = batches.flow?.bind(batches);
  if (flow === undefined) {
    return sendPieces(exchange, answer, { pieces: linesOf(batches), caller });
  }
  if (!sendHead(exchange, answer)) return;
  caller.follow(new EventSender(exchange.outgoing).send((reader) => flow(reader, fanOut)));
}

async function* linesOf(batches: EventBatches): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const batch of batches) yield joinLines(batch);
}

async function sendPieces(
  exchange: HttpExchange,
  answer: ApiResponse,
  { pieces, caller }: { pieces: AsyncIterable<Uint8Array>; caller: HttpCaller },
): Promise<void> {
  const { signal } = caller;
  const { outgoing } = exchange;
  if (!sendHead(exchange, answer)) return;
  for await (const piece of pieces) {
    if (signal.aborted) break;
    if (!outgoing.write(piece)) await once(outgoing, 'drain', { signal });
  }
  outgoing.end();
}

/** The client learns that its watch is open before the first event comes. */
function sendHead({ begin, flush }: HttpExchange, { status, headers }: ApiResponse): boolean {
  const hasBody = begin(status, headers);
  flush();
  return hasBody;
}
