import type { ServerResponse } from 'node:http';
import type { EventResponse } from '@fnlet/sdk';
import { http } from './builtins.ts';

/**
 * The response that event-style handlers find in `event.extensions`: Node's own object, with the
 * members of Express that such functions use laid over its prototype, as Express itself does it.
 */
export function expressResponse(response: ServerResponse): EventResponse {
  if (!isLaidOver(response)) {
    Object.setPrototypeOf(response, view);
    Object.assign(response, { locals: {} });
  }
  if (isLaidOver(response)) return response;
  throw new TypeError('Cannot show the response: found another prototype');
}

function isLaidOver(response: object): response is EventResponse {
  return Object.getPrototypeOf(response) === view;
}

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

const members: object & ThisType<ServerResponse & Members> = {
  write(...input: readonly unknown[]) {
    return Reflect.apply(http.ServerResponse.prototype.write, this, inBytes(input));
  },
  end(...input: readonly unknown[]) {
    return Reflect.apply(http.ServerResponse.prototype.end, this, inBytes(input));
  },
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

// Node writes the head in the encoding of the text behind it, but a head is latin1.
function inBytes(input: readonly unknown[]): readonly unknown[] {
  const [content, encoding, ...rest] = input;
  if (typeof content !== 'string' || encoding === 'latin1') return input;
  const isNamed = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  const bytes = Buffer.from(content, isNamed ? encoding : 'utf8');
  return typeof encoding === 'function' ? [bytes, encoding] : [bytes, ...rest];
}

interface Members {
  status(status: number): ServerResponse & Members;
  set(name: unknown, value?: unknown): ServerResponse & Members;
  type(type: string): ServerResponse & Members;
  json(value: unknown): ServerResponse & Members;
}

function headerValue(value: string | readonly string[] | undefined): string | readonly string[] {
  return value ?? '';
}

const view: object = Object.create(
  http.ServerResponse.prototype,
  Object.getOwnPropertyDescriptors(members),
);
