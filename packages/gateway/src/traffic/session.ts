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
