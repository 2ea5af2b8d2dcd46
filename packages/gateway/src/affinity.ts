import { hashText } from './balancer.ts';
import { readCookie, setsCookie } from './cookie.ts';
import type { RequestHead } from './http1/request-head.ts';
import type { ResponseHead } from './http1/response-head.ts';
import { fieldValues } from './policy/field-changes.ts';
import type { RouteAffinity } from './route.ts';

/** What ties a call to an Instance. */
export interface Affinity {
  /** Calls with the same key belong together. */
  readonly key: number;
  /** The cookie that the caller is to be given, so that its next call has the same key. */
  readonly cookie: { readonly name: string; readonly value: string } | undefined;
}

/**
 * What ties this call to others; `undefined`: nothing. A caller without its cookie gets one, of
 * which the identifier of this call is all that it tells.
 */
export function readAffinity(
  affinity: RouteAffinity,
  { fields }: RequestHead,
  requestId: string,
): Affinity | undefined {
  const { by, name } = affinity;
  const given = by === 'cookie' ? readCookie(fields, name) : fieldValues(fields, name)[0];
  if (given !== undefined && given !== '') return { key: hashText(given), cookie: undefined };
  if (by === 'header') return undefined;
  const value = hashText(requestId).toString(16).padStart(8, '0');
  return { key: hashText(value), cookie: { name, value } };
}

/** The field that gives the caller its cookie; empty when it has one, or the function gives one. */
export function affinityField({ cookie }: Affinity, { fields }: ResponseHead): string {
  if (cookie === undefined || setsCookie(fields, cookie.name)) return '';
  return `Set-Cookie: ${cookie.name}=${cookie.value}; Path=/; HttpOnly; SameSite=Lax\r\n`;
}
