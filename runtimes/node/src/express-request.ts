import type { IncomingMessage } from 'node:http';
import type { EventRequest } from '@fnlet/sdk';
import { http } from './builtins.ts';
import { hasBody } from './incoming-body.ts';
import { matchMediaType, negotiate } from './media-type.ts';

/**
 * The request that event-style handlers find in `event.extensions`: Node's own object, with the
 * members of Express that such functions use laid over its prototype, as Express itself does it.
 */
export function expressRequest(request: IncomingMessage, body: unknown): EventRequest {
  if (!isLaidOver(request)) Object.setPrototypeOf(request, view);
  const whole = Object.assign(request, { body, params: {} });
  if (isLaidOver(whole)) return whole;
  throw new TypeError('Cannot show the request: found another prototype');
}

/** The address that a call comes from, before all proxies. */
export function callerAddress({ headers, socket }: IncomingMessage): string | undefined {
  const [first] = forwardedFor(headers['x-forwarded-for']);
  return first ?? socket.remoteAddress;
}

function forwardedFor(header: string | readonly string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
}

function isLaidOver<Given extends object>(request: Given): request is Given & EventRequest {
  return Object.getPrototypeOf(request) === view;
}

const members: object & ThisType<IncomingMessage & Members> = {
  baseUrl: '',
  get(name: string) {
    const key = name.toLowerCase();
    if (key !== 'referer' && key !== 'referrer') return this.headers[key];
    return this.headers.referrer ?? this.headers.referer;
  },
  header(name: string) {
    return this.get(name);
  },
  /** The first of these types that the body has, false when it has another, null without a body. */
  is(...types: readonly (string | readonly string[])[]) {
    if (!hasBody(this)) return null;
    return matchMediaType(this.headers['content-type'], types.flat());
  },
  accepts(...types: readonly (string | readonly string[])[]) {
    return negotiate(this.headers.accept, types.flat(), 'type');
  },
  acceptsEncodings(...encodings: readonly (string | readonly string[])[]) {
    return negotiate(String(this.headers['accept-encoding'] ?? 'identity'), encodings.flat());
  },
  acceptsCharsets(...charsets: readonly (string | readonly string[])[]) {
    return negotiate(this.headers['accept-charset']?.toString(), charsets.flat());
  },
  acceptsLanguages(...languages: readonly (string | readonly string[])[]) {
    return negotiate(this.headers['accept-language'], languages.flat());
  },
  get originalUrl() {
    return this.url;
  },
  get path() {
    return (this.url ?? '/').replace(/[?#].*$/s, '');
  },
  get query() {
    const query = new URLSearchParams((this.url ?? '').replace(/^[^?]*/, ''));
    const names = [...new Set(query.keys())];
    return Object.fromEntries(
      names.map((name) => {
        const values = query.getAll(name);
        return [name, values.length === 1 ? values[0] : values];
      }),
    );
  },
  get protocol() {
    return String(this.headers['x-forwarded-proto'] ?? 'http').replace(/\s*,.*$/s, '');
  },
  get secure() {
    return String(this.headers['x-forwarded-proto']).startsWith('https');
  },
  get xhr() {
    return String(this.headers['x-requested-with']).toLowerCase() === 'xmlhttprequest';
  },
  get host() {
    const host = this.headers['x-forwarded-host'] ?? this.headers.host ?? '';
    return String(host).replace(/\s*,.*$/s, '');
  },
  get hostname() {
    return this.host.replace(/:\d+$/, '');
  },
  get subdomains() {
    return this.hostname.split('.').reverse().slice(2);
  },
  get ip() {
    return callerAddress(this);
  },
  get ips() {
    return forwardedFor(this.headers['x-forwarded-for']);
  },
};

interface Members {
  readonly host: string;
  readonly hostname: string;
  get(name: string): string | readonly string[] | undefined;
}

const view: object = Object.create(
  http.IncomingMessage.prototype,
  Object.getOwnPropertyDescriptors(members),
);
