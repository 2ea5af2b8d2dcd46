import type { IncomingMessage } from 'node:http';
import type { EventRequest } from '@fnlet/sdk';
import { http } from './builtins.ts';

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

function isLaidOver<Given extends object>(request: Given): request is Given & EventRequest {
  return Object.getPrototypeOf(request) === view;
}

const members: object & ThisType<IncomingMessage> = {
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

const view: object = Object.create(
  http.IncomingMessage.prototype,
  Object.getOwnPropertyDescriptors(members),
);
