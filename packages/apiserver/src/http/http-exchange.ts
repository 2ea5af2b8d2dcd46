import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';

/** One request and its answer on the wire. */
export interface HttpExchange {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The body of the request. */
  readonly incoming: Readable;
  /** The body of the answer, once it has begun. */
  readonly outgoing: Writable;
  /** Begins the answer; returns whether a body may follow. */
  begin(status: number, headers: Readonly<Record<string, string>>): boolean;
  /** Sends what the answer began with, before any body comes. */
  flush(): void;
}

/** An exchange over HTTP/1.1. */
export function http1Exchange(request: IncomingMessage, response: ServerResponse): HttpExchange {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    incoming: request,
    outgoing: response,
    begin(status, headers) {
      response.writeHead(status, http1Headers(headers));
      // Node leaves out a body that must not be there.
      return true;
    },
    flush: () => response.flushHeaders(),
  };
}

/**
 * An exchange over HTTP/2: the stream itself. Node's own request and response in the manner of
 * HTTP/1.1 would be kept beside it as long as it is open, which watches are for minutes.
 */
export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): HttpExchange {
  const { ':method': method = '', ':path': url = '' } = headers;
  // Without an answer to this, some clients do not send their body.
  if (headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
  return {
    method: String(method),
    url: String(url),
    headers,
    rawHeaders,
    incoming: stream,
    outgoing: stream,
    begin(status, fields) {
      stream.respond(http2Headers(status, fields));
      return !stream.writableEnded;
    },
    // What was begun has been sent.
    flush() {},
  };
}

// RFC 9113, 8.2.2: fields of one connection, which an answer passed on from HTTP/1.1 may have.
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function http2Headers(
  status: number,
  fields: Readonly<Record<string, string>>,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ':status': status };
  for (const [name, value] of Object.entries(fields)) {
    const key = name.toLowerCase();
    if (!ofConnection.has(key)) headers[key] = wireValue(key, value);
  }
  return headers;
}

function http1Headers(fields: Readonly<Record<string, string>>): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(fields)) headers[name] = wireValue(name, value);
  return headers;
}

// Cookies are the one header whose values cannot be joined with commas (RFC 9110, 5.3).
function wireValue(name: string, value: string): string | string[] {
  return name === 'set-cookie' ? value.split('\n') : value;
}
