import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { formatServerSentEvent, type Result } from '@fnlet/invocation';
import type { Call } from './call.ts';
import { type ChunkSource, openChunkSource } from './chunk-source.ts';
import { platform } from './web/platform.ts';
import { WebHeaders } from './web/web-headers.ts';
import { WebResponse } from './web/web-response.ts';

/**
 * Sends a handler's result as the answer of its call, unless the call was answered already.
 * Headers that were set on the response itself go along.
 */
export function answer(call: Call, result: Result): void | Promise<void> {
  const { body } = result;
  switch (body.kind) {
    case 'empty':
      return sendWhole(call, result, null);
    case 'text':
      return sendWhole(call, result, body.text);
    case 'bytes':
      return sendWhole(call, result, body.bytes);
    case 'stream':
      return sendChunks(call, result, openChunkSource(body.chunks));
    case 'events':
      return sendEvents(call, result, openChunkSource(body.items));
    case 'response':
      return sendResponse(call, body.response);
  }
}

interface Head {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: OutgoingHttpHeaders;
}

function sendWhole(call: Call, head: Head, content: string | Uint8Array | null): void {
  if (!call.claim('handler')) return;
  const { response } = call;
  const length = content === null ? 0 : Buffer.byteLength(content);
  call.contentLength = length;
  const mayHaveLength = head.status !== 204 && head.status !== 304;
  writeHead(
    response,
    mayHaveLength ? { ...head, headers: { ...head.headers, 'content-length': length } } : head,
  );
  if (content === null) response.end();
  else if (typeof content === 'string' && length === content.length)
    response.end(content, 'latin1');
  else response.end(asBytes(content));
}

// Node sends a head together with the text that comes first, in the encoding of that text. A head is
// latin1, octet for octet (RFC 9110, 5.5): what is not ASCII must not make UTF-8 of it.
function asBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

function writeHead(response: ServerResponse, { status, statusText, headers }: Head): void {
  if (statusText === undefined || statusText === '') response.writeHead(status, headers);
  else response.writeHead(status, statusText, headers);
}

async function sendChunks(call: Call, head: Head, source: ChunkSource): Promise<void> {
  try {
    // The first chunk comes before the head: a stream that fails at once is still a clean 500.
    const first = await source.next();
    if (first.done !== true) asChunk(first.value);
    if (!call.claim('handler')) return;
    writeHead(call.response, head);
    await pump(call, source, first);
  } finally {
    source.cancel();
  }
}

async function sendEvents(call: Call, head: Head, source: ChunkSource): Promise<void> {
  const events: ChunkSource = {
    async next() {
      const item = await source.next();
      return item.done === true ? item : { done: false, value: formatServerSentEvent(item.value) };
    },
    cancel: () => source.cancel(),
  };
  try {
    if (!call.claim('handler')) return;
    writeHead(call.response, head);
    if (call.request.method === 'HEAD') {
      call.response.end();
      return;
    }
    // An EventSource is open once it has the head, however late the first event is. Not by
    // flushHeaders(), for which a head is UTF-8.
    call.response.write(noBytes);
    await pump(call, events, await nextUnlessClosed(call, events));
  } finally {
    events.cancel();
  }
}

const noBytes = new Uint8Array();

type Next = IteratorResult<unknown, unknown>;

async function pump(call: Call, source: ChunkSource, first: Next): Promise<void> {
  const { response, request } = call;
  for (let next = first; next.done !== true; next = await nextUnlessClosed(call, source)) {
    if (request.method === 'HEAD') break;
    if (!response.write(asChunk(next.value))) await drained(response);
  }
  response.end();
}

const done: Next = { done: true, value: undefined };

// A client that goes away is no reason to wait for the next chunk.
async function nextUnlessClosed(call: Call, source: ChunkSource): Promise<Next> {
  const { signal } = call;
  if (call.response.destroyed) return done;
  const next = source.next();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<Next>((resolve) => {
    onAbort = () => resolve(done);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([next, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    next.catch(() => {});
  }
}

function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}

function asChunk(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return asBytes(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError(
    `Cannot send a chunk of a stream: found ${typeof chunk}, expected text or bytes`,
  );
}

function sendResponse(call: Call, response: Response): void | Promise<void> {
  const { status, statusText } = response;
  if (response.type === 'error') {
    throw new TypeError('Cannot answer with Response.error(): found a network error, no answer');
  }
  const headers = outgoingHeaders(response);
  const plain = WebResponse.plainContent(response);
  if (plain !== undefined) return sendWhole(call, { status, statusText, headers }, plain);
  if (response.bodyUsed) {
    throw new TypeError('Cannot answer with a Response: its body was read, expected an unread one');
  }
  if (response.body === null) return sendWhole(call, { status, statusText, headers }, null);
  return sendChunks(call, { status, statusText, headers }, openChunkSource(response.body));
}

// RFC 9110, 7.6.1: these belong to the connection, which is the Runner's.
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'trailer',
]);

function outgoingHeaders(response: Response): OutgoingHttpHeaders {
  const own: unknown = response.headers;
  const headers = own instanceof WebHeaders ? own : new WebHeaders(own);
  for (const name of headers.names()) if (hopByHop.has(name)) headers.delete(name);
  if (platform.isResponse(response) && headers.has('content-encoding')) {
    // The platform's fetch hands out the decoded body but leaves the headers of the encoded one.
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  return headers.toOutgoing();
}
