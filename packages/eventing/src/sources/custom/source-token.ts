import { hash, timingSafeEqual } from 'node:crypto';

/**
 * The token that a request shows: `Bearer <token>`, or the password of `Basic`, which clients make
 * of an address such as `http://source:<token>@host/`.
 */
export function shownToken(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization?.trim() ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value;
    case 'basic': {
      const text = Buffer.from(value, 'base64').toString();
      const colon = text.indexOf(':');
      return colon === -1 ? undefined : text.slice(colon + 1);
    }
    default:
      return undefined;
  }
}

/** Whether both are the same; how long that takes does not tell how much of them is. */
export function isSameToken(shown: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', expected, 'buffer'));
}
