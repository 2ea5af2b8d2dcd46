import type { FieldBlock } from '../http1/field-block.ts';
import { fieldValues } from '../policy/field-changes.ts';
import type { Route } from '../route.ts';

/** Name of the cookie that keeps the sessions of a Function with one Revision each. */
export function sessionCookie({ namespace, function: name }: Route): string {
  return `fnlet-${namespace}-${name}`;
}

/** The field of an answer that begins a session. Scripts need not see it, nor other sites send it. */
export function sessionField(cookie: string, revision: string, seconds: number): string {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  return `Set-Cookie: ${cookie}=${revision}; ${attributes}\r\n`;
}

/** The Revision of the session that a request belongs to (RFC 6265 §4.2.1). */
export function readSession(fields: FieldBlock, cookie: string): string | undefined {
  for (const pair of fieldValues(fields, 'cookie').join(';').split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === cookie) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
