import type { IncomingMessage, ServerResponse } from 'node:http';
import { http } from './builtins.ts';

/*
 * The request and response that event-style handlers find in `event.extensions`: Node's own
 * objects, with the members of Express that such functions use laid over their prototypes (as
 * Express itself does it), when a handler first looks at them.
 */

export type ExpressRequest = IncomingMessage & { readonly body: unknown };

/** Lays Express's members over a request whose body was read already. */
export function expressRequest(request: IncomingMessage, body: unknown): ExpressRequest {
  if (Object.getPrototypeOf(request) !== requestView) Object.setPrototypeOf(request, requestView);
  return Object.assign(request, { body, params: {} });
}

/** Lays Express's members over a response. */
export function expressResponse(response: ServerResponse): ServerResponse {
  if (Object.getPrototypeOf(response) !== responseView) {
    Object.setPrototypeOf(response, responseView);
    Object.assign(response, { locals: {} });
  }
  return response;
}

const requestMembers: object & ThisType<IncomingMessage> = {
  get(name: string) {
    const key = name.toLowerCase();
    if (key !== 'referer' && key !== 'referrer') return this.headers[key];
    return this.headers.referrer ?? this.headers.referer;
  },
  header(name: string) {
    return this.headers[name.toLowerCase()];
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
  get hostname() {
    const host = this.headers['x-forwarded-host'] ?? this.headers.host ?? '';
    return String(host)
      .replace(/\s*,.*$/s, '')
      .replace(/:\d+$/, '');
  },
  get ip() {
    const forwarded = String(this.headers['x-forwarded-for'] ?? '')
      .split(',')[0]
      ?.trim();
    return forwarded === '' ? this.socket.remoteAddress : forwarded;
  },
};

const shortTypes: Readonly<Record<string, string>> = {
  bin: 'application/octet-stream',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  xml: 'application/xml',
};

const responseMembers: object & ThisType<ServerResponse & ResponseMembers> = {
  status(status: number) {
    this.statusCode = status;
    return this;
  },
  set(name: string | Readonly<Record<string, string>>, value?: string | readonly string[]) {
    if (typeof name === 'string') this.setHeader(name, headerValue(value));
    else for (const [key, item] of Object.entries(name)) this.setHeader(key, item);
    return this;
  },
  header(name: string | Readonly<Record<string, string>>, value?: string | readonly string[]) {
    return this.set(name, value);
  },
  append(name: string, value: string | readonly string[]) {
    this.appendHeader(name, value);
    return this;
  },
  get(name: string) {
    return this.getHeader(name);
  },
  type(type: string) {
    this.setHeader('content-type', type.includes('/') ? type : (shortTypes[type] ?? type));
    return this;
  },
  contentType(type: string) {
    return this.type(type);
  },
  json(value: unknown) {
    if (!this.hasHeader('content-type')) this.type('json');
    this.end(JSON.stringify(value));
    return this;
  },
  send(value?: unknown) {
    if (value === undefined || value === null) return this.end();
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) return this.json(value);
    if (!this.hasHeader('content-type')) this.type(typeof value === 'string' ? 'html' : 'bin');
    return this.end(value);
  },
  sendStatus(status: number) {
    return this.status(status)
      .type('text')
      .end(http.STATUS_CODES[status] ?? String(status));
  },
  redirect(...target: readonly unknown[]) {
    const [status, url] = target.length > 1 ? target : [302, target[0]];
    this.setHeader('location', String(url));
    return this.status(Number(status)).end();
  },
};

interface ResponseMembers {
  status(status: number): ServerResponse & ResponseMembers;
  set(name: unknown, value?: unknown): ServerResponse & ResponseMembers;
  type(type: string): ServerResponse & ResponseMembers;
  json(value: unknown): ServerResponse & ResponseMembers;
}

function headerValue(value: string | readonly string[] | undefined): string | readonly string[] {
  return value ?? '';
}

const requestView = viewOver(http.IncomingMessage.prototype, requestMembers);
const responseView = viewOver(http.ServerResponse.prototype, responseMembers);

function viewOver(prototype: object, members: object): object {
  return Object.create(prototype, Object.getOwnPropertyDescriptors(members));
}
