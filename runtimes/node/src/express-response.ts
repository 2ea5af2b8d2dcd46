import type { ServerResponse } from 'node:http';
import { basename, extname, resolve, sep } from 'node:path';
import type { EventResponse } from '@fnlet/sdk';
import { fs, http } from './builtins.ts';
import { type CookieOptions, formatCookie } from './cookie.ts';
import { mediaTypeOf, negotiate, withCharset } from './media-type.ts';

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

type HeaderValue = string | number | readonly string[];
type FieldsOrName = string | Readonly<Record<string, HeaderValue>>;

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
  set(name: FieldsOrName, value: HeaderValue = '') {
    if (typeof name !== 'string') {
      for (const [key, item] of Object.entries(name)) this.set(key, item);
      return this;
    }
    const isType = name.toLowerCase() === 'content-type';
    this.setHeader(name, isType ? withCharset(String(value)) : value);
    return this;
  },
  header(name: FieldsOrName, value?: HeaderValue) {
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
    return this.set('content-type', mediaTypeOf(type));
  },
  contentType(type: string) {
    return this.type(type);
  },
  vary(field: string | readonly string[]) {
    const known = String(this.getHeader('vary') ?? '');
    const names = [known, ...[field].flat()].filter((name) => name !== '');
    return this.set('vary', [...new Set(names.join(', ').split(/\s*,\s*/))].join(', '));
  },
  links(links: Readonly<Record<string, string>>) {
    const added = Object.entries(links).map(([name, url]) => `<${url}>; rel="${name}"`);
    const known = this.getHeader('link');
    return this.set('link', [...(known === undefined ? [] : [String(known)]), ...added].join(', '));
  },
  location(url: string) {
    return this.set('location', encodeURI(url).replace(/%25([\da-f]{2})/gi, '%$1'));
  },
  cookie(name: string, value: unknown, options: CookieOptions = {}) {
    this.appendHeader('set-cookie', formatCookie(name, value, options));
    return this;
  },
  clearCookie(name: string, options: CookieOptions = {}) {
    return this.cookie(name, '', { path: '/', ...options, expires: new Date(1) });
  },
  attachment(file?: string) {
    if (file === undefined) return this.set('content-disposition', 'attachment');
    this.type(extname(file) || 'bin');
    const name = encodeURIComponent(basename(file));
    const isPlain = name === basename(file);
    const value = isPlain ? `filename="${name}"` : `filename*=UTF-8''${name}`;
    return this.set('content-disposition', `attachment; ${value}`);
  },
  json(value: unknown) {
    if (!this.hasHeader('content-type')) this.type('json');
    return this.send(JSON.stringify(value) ?? '');
  },
  send(value?: unknown) {
    if (value === undefined || value === null) return this.end();
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) return this.json(value);
    if (!this.hasHeader('content-type')) this.type(typeof value === 'string' ? 'html' : 'bin');
    const mayHaveLength = this.statusCode !== 204 && this.statusCode !== 304;
    if (mayHaveLength) this.setHeader('content-length', Buffer.byteLength(value));
    return this.end(value);
  },
  sendStatus(status: number) {
    return this.status(status)
      .type('text')
      .end(http.STATUS_CODES[status] ?? String(status));
  },
  sendFile(path: string, ...more: readonly unknown[]) {
    const root = more.find(isRooted)?.root ?? '.';
    const whole = resolve(root, path);
    if (!path.startsWith(sep) && !whole.startsWith(`${resolve(root)}${sep}`)) {
      return this.sendStatus(403);
    }
    if (!this.hasHeader('content-type')) this.type(extname(whole) || 'bin');
    const done = more.find(isCallback);
    fs.createReadStream(whole)
      .on('error', (error) => {
        if (done !== undefined) done(error);
        else this.removeHeader('content-type');
        if (done === undefined && !this.headersSent) this.sendStatus(404);
      })
      .on('end', () => done?.())
      .pipe(this);
    return this;
  },
  download(path: string, ...more: readonly unknown[]) {
    const name = more.find((item) => typeof item === 'string') ?? path;
    return this.attachment(name).sendFile(path, ...more);
  },
  redirect(...target: readonly unknown[]) {
    const [status, url] = target.length > 1 ? target : [302, target[0]];
    return this.status(Number(status)).location(String(url)).end();
  },
  format(choices: Readonly<Record<string, (...input: readonly unknown[]) => unknown>>) {
    const offers = Object.keys(choices).filter((name) => name !== 'default');
    const chosen = negotiate(this.req.headers.accept, offers, 'type');
    this.vary('Accept');
    if (typeof chosen === 'string') {
      this.type(chosen);
      choices[chosen]?.(this.req, this);
    } else if (choices.default !== undefined) choices.default(this.req, this);
    else this.sendStatus(406);
    return this;
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

type Laid = ServerResponse & Members;

interface Members {
  status(status: number): Laid;
  set(name: FieldsOrName, value?: HeaderValue): Laid;
  type(type: string): Laid;
  location(url: string): Laid;
  cookie(name: string, value: unknown, options?: CookieOptions): Laid;
  attachment(file?: string): Laid;
  json(value: unknown): Laid;
  send(value?: unknown): Laid;
  vary(field: string): Laid;
  sendStatus(status: number): Laid;
  sendFile(path: string, ...more: readonly unknown[]): Laid;
}

function isRooted(value: unknown): value is { readonly root: string } {
  return typeof value === 'object' && value !== null && 'root' in value;
}

function isCallback(value: unknown): value is (error?: unknown) => void {
  return typeof value === 'function';
}

const view: object = Object.create(
  http.ServerResponse.prototype,
  Object.getOwnPropertyDescriptors(members),
);
