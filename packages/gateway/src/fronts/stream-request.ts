/** A request of HTTP/2, in the words of HTTP/1.1. */
export interface StreamRequest {
  readonly method: string;
  /** Request line and fields up to the empty line, as latin1. */
  readonly head: string;
  /** How the body that follows is framed. */
  readonly body: 'none' | 'sized' | 'chunked';
  /** Whether it asks for a WebSocket (RFC 8441). */
  readonly tunnel: boolean;
  /** Whether the client reads trailers. */
  readonly trailers: boolean;
}

/** Fields that only mean something to one connection of HTTP/1.1 (RFC 9113 §8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

const namePattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** What HTTP/1.1 takes for a value; above all, nothing that ends a line. */
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What a WebSocket over HTTP/1.1 must say besides; that over HTTP/2 has no use for the key. */
const handshake =
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

/**
 * Translates the fields of a request (names and values in turn). What could mean something else in
 * HTTP/1.1 is refused, with the status that is returned then.
 *
 * `ended`: the request has no body.
 */
export function translateRequest(
  fields: readonly string[],
  ended: boolean,
): StreamRequest | number {
  const pseudo = new Map<string, string>();
  const known = new Map<string, string>();
  let kept = '';
  let cookie = '';
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? '';
    const value = fields[i + 1] ?? '';
    if (!valuePattern.test(value)) return 400;
    if (name.startsWith(':')) {
      pseudo.set(name, value);
    } else if (!namePattern.test(name) || connectionFields.has(name)) {
      return 400;
    } else if (name === 'cookie') {
      // RFC 9113 §8.2.3: crumbs become one field again.
      cookie += cookie === '' ? value : `; ${value}`;
    } else {
      if (name === 'host' || name === 'te' || name === 'content-length') {
        if (known.has(name)) return 400;
        known.set(name, value);
      }
      if (name !== 'host') kept += `${name}: ${value}\r\n`;
    }
  }
  if (cookie !== '') kept += `cookie: ${cookie}\r\n`;
  return assemble({ pseudo, known, kept, ended });
}

interface Sorted {
  readonly pseudo: ReadonlyMap<string, string>;
  readonly known: ReadonlyMap<string, string>;
  /** The lines that pass. */
  readonly kept: string;
  readonly ended: boolean;
}

function assemble({ pseudo, known, kept, ended }: Sorted): StreamRequest | number {
  const protocol = pseudo.get(':protocol');
  if (protocol !== undefined && protocol !== 'websocket') return 501;
  const tunnel = protocol !== undefined;
  const asked = pseudo.get(':method') ?? '';
  if (tunnel && asked !== 'CONNECT') return 400;
  if (asked === 'CONNECT' && !tunnel) return 405;
  const method = tunnel ? 'GET' : asked;
  const path = pseudo.get(':path') ?? '';
  // In HTTP/1.1 any other form would replace Host.
  if (!path.startsWith('/')) return 400;
  const host = known.get('host');
  const authority = pseudo.get(':authority') ?? host;
  if (authority === undefined || (host !== undefined && host !== authority)) return 400;
  const te = known.get('te');
  if (te !== undefined && te.toLowerCase() !== 'trailers') return 400;
  const length = known.get('content-length');
  if (length !== undefined && (tunnel || (ended && Number(length) !== 0))) return 400;
  const body = ended || tunnel ? 'none' : length === undefined ? 'chunked' : 'sized';
  const framing = body === 'chunked' ? 'transfer-encoding: chunked\r\n' : '';
  const connection = tunnel ? handshake : 'connection: close\r\n';
  return {
    method,
    head: `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n${kept}${framing}${connection}\r\n`,
    body,
    tunnel,
    trailers: te !== undefined,
  };
}

/** Translates the fields of a trailer section; `undefined` when it has no place in HTTP/1.1. */
export function translateTrailers(fields: readonly string[]): string | undefined {
  let lines = '';
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? '';
    const value = fields[i + 1] ?? '';
    if (!namePattern.test(name) || !valuePattern.test(value)) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
